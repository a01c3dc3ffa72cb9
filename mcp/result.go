package mcp

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
	"mem/render"
)

// Bounds on what a call is answered.
const (
	maxResult  = 48 << 10 // bytes
	maxText    = 2000     // characters of one text in it
	maxContext = 4*MaxBudget + 1<<10
)

// page is a page as JSON, with as many whole items as there is room for.
func page(p Page, err error) (string, error) {
	if err != nil {
		return "", err
	}
	out := struct {
		File    string               `json:"file"`
		Items   []stdjson.RawMessage `json:"items"`
		LeftOut int                  `json:"left_out"`
	}{p.File, []stdjson.RawMessage{}, p.LeftOut}
	size := 0
	for i, item := range p.Items {
		data, err := tidy(item)
		if err != nil {
			return "", err
		}
		if size += len(data); size > maxResult {
			out.LeftOut += len(p.Items) - i
			break
		}
		out.Items = append(out.Items, data)
	}
	data, err := tidy(out)
	return string(data), err
}

// whole is a result as JSON, if there is room for it.
func whole(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	data, err := tidy(v)
	if err == nil && len(data) > maxResult {
		return "", argumentf("the answer has %d bytes, too many to be sent", len(data))
	}
	return string(data), err
}

// tidy returns v as JSON, every text in it clean and not too long, each on
// a line of its own.
func tidy(v any) ([]byte, error) {
	var raw, tidied bytes.Buffer
	enc := stdjson.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write result: %w", err)
	}
	from := jsontext.NewDecoder(&raw, jsontext.AllowDuplicateNames(true))
	to := jsontext.NewEncoder(&tidied, jsontext.AllowDuplicateNames(true), jsontext.WithIndent("  "))
	for {
		token, err := from.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimRight(tidied.Bytes(), "\n"), nil
		}
		if err == nil && token.Kind() == '"' {
			token = jsontext.String(render.Shorten(guard.Scrub(token.String()), maxText))
		}
		if err == nil {
			err = to.WriteToken(token)
		}
		if err != nil {
			return nil, fmt.Errorf("write result: %w", err)
		}
	}
}
