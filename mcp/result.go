package mcp

import (
	"github.com/go-json-experiment/json/jsontext"

	"mem/render/safejson"
)

// Bounds of an answer.
const (
	maxResult  = 48 << 10 // bytes
	maxText    = 2000     // characters of one text in it
	maxContext = 4*MaxBudget + 1<<10
)

// encodePage returns a page as JSON, with as many whole items as fit.
func encodePage(p Page, err error) (string, error) {
	if err != nil {
		return "", err
	}
	out := struct {
		File    string           `json:"file"`
		Items   []jsontext.Value `json:"items"`
		LeftOut int              `json:"leftOut"`
	}{File: p.File, LeftOut: p.LeftOut}
	size := 0
	for i, item := range p.Items {
		data, err := encodeResult(item)
		if err != nil {
			return "", err
		}
		if size += len(data); size > maxResult {
			out.LeftOut += len(p.Items) - i
			break
		}
		out.Items = append(out.Items, data)
	}
	data, err := encodeResult(out)
	return string(data), err
}

// encodeAnswer returns a result as JSON, or an error if it is too long.
func encodeAnswer(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	data, err := encodeResult(v)
	if err == nil && len(data) > maxResult {
		return "", argumentErrorf("the answer has %d bytes, too many to be sent", len(data))
	}
	return string(data), err
}

// encodeResult returns v as JSON, every text in it scrubbed and not too long.
func encodeResult(v any) ([]byte, error) { return safejson.Options{MaxText: maxText}.Encode(v) }
