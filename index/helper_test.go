package index_test

import (
	"mem/index"
	"mem/index/indextest"
)

var (
	t0       = indextest.T0
	day      = indextest.Day
	load     = indextest.Load
	anyTime  = indextest.AnyTime
	anyIndex = indextest.AnyIndex
	diff     = indextest.Diff
)

// said is a lesson of the agent from a session.
func said(text, session string) index.Lesson {
	return index.Lesson{Text: text, Origin: index.OriginAgent, Source: index.Source{Trace: "claude:" + session, Session: session}}
}

func fixes(texts ...string) index.Reflection {
	var r index.Reflection
	for _, text := range texts {
		r.Fixes = append(r.Fixes, index.Lesson{Text: text})
	}
	return r
}

func mistakes(texts ...string) index.Reflection {
	return index.Reflection{Mistakes: fixes(texts...).Fixes}
}
