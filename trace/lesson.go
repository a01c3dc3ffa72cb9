package trace

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/session"
	"mem/trace/jsonl"
)

// A Lesson is a lesson as it was stated. Only the length of the text is checked;
// what was not said is zero.
type Lesson struct {
	Text     string
	Domain   string
	Tags     []string
	Severity string
}

// The limits of tags as they are read, well above what is kept.
const (
	maxTags = 32
	maxTag  = 256
)

// UnmarshalJSONFrom implements json.UnmarshalerFrom. A lesson is a string, or
// an object with its text under one of the names in use; of several names the
// first in the order below counts. Anything else is a lesson without text.
func (l *Lesson) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var o struct {
		Text        jsonl.Text `json:"text"`
		Lesson      jsonl.Text `json:"lesson"`
		Insight     jsonl.Text `json:"insight"`
		Content     jsonl.Text `json:"content"`
		Learning    jsonl.Text `json:"learning"`
		Rule        jsonl.Text `json:"rule"`
		Description jsonl.Text `json:"description"`

		Domain   jsonl.Text `json:"domain"`
		Category jsonl.Text `json:"category"`
		Tags     tags       `json:"tags"`
		Severity jsonl.Text `json:"severity"`
	}
	*l = Lesson{}
	switch dec.PeekKind() {
	case '"':
		if err := o.Text.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
	case '{':
		if err := json.UnmarshalDecode(dec, &o); err != nil {
			return err
		}
	default:
		return dec.SkipValue()
	}
	for _, text := range []jsonl.Text{o.Text, o.Lesson, o.Insight, o.Content, o.Learning, o.Rule, o.Description} {
		if strings.TrimSpace(string(text)) != "" {
			l.Text = jsonl.Clip(string(text), session.MaxText)
			break
		}
	}
	l.Domain, l.Tags, l.Severity = string(cmp.Or(o.Domain, o.Category)), o.Tags, string(o.Severity)
	return nil
}

// A tags list is the strings of an array, or one string with commas between.
// What is too long for a tag is left out.
type tags []string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *tags) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*l = nil
	switch dec.PeekKind() {
	case '"':
		var list jsonl.Text
		if err := list.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
		for tag := range strings.SplitSeq(string(list), ",") {
			l.addTag(tag)
		}
		return nil
	case '[':
		return jsonl.ReadList(dec, func() error {
			var tag jsonl.Text
			if err := tag.UnmarshalJSONFrom(dec); err != nil {
				return err
			}
			l.addTag(string(tag))
			return nil
		})
	}
	return dec.SkipValue()
}

func (l *tags) addTag(tag string) {
	if tag = strings.TrimSpace(tag); tag != "" && len(tag) <= maxTag && len(*l) < maxTags {
		*l = append(*l, tag)
	}
}
