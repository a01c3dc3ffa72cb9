package facts_test

import (
	"mem/facts"
	"mem/index"
)

// said is a reflection of an id with these fixes.
func said(id string, texts ...string) facts.Fact {
	f := facts.Fact{ID: id, Kind: facts.Reflection, At: t0}
	for _, text := range texts {
		f.Fixes = append(f.Fixes, index.Lesson{Text: text})
	}
	return f
}

// texts are the texts of the records, in file order.
func texts(ix *index.Index) (list []string) {
	for i := range ix.Items {
		list = append(list, ix.Items[i].Text)
	}
	return list
}
