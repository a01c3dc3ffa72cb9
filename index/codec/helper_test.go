package codec_test

import "mem/index/indextest"

var (
	full     = indextest.Full
	t0       = indextest.T0
	day      = indextest.Day
	load     = indextest.Load
	encode   = indextest.Encode
	record   = indextest.Record
	anyIndex = indextest.AnyIndex
	diff     = indextest.Diff
)
