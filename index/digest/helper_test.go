package digest_test

import "mem/index/indextest"

type failer = indextest.Failer

var (
	t0       = indextest.T0
	day      = indextest.Day
	encode   = indextest.Encode
	record   = indextest.Record
	anyTime  = indextest.AnyTime
	anyIndex = indextest.AnyIndex
	diff     = indextest.Diff
)
