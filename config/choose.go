package config

import (
	"fmt"
	"slices"
	"strings"
)

// A Choice names the oracle that a person wants asked first.
type Choice struct {
	Name    string // command, anthropic, openai or heuristic
	Model   string // for a server; for command a preset, perhaps with a model: claude/haiku
	BaseURL string // of a server
}

// EditFile returns the person's own configuration, from the file of this name,
// with the choice made. Only the lines of the keys that change are touched.
func (c Choice) EditFile(name string, data []byte) ([]byte, error) {
	mine, err := Load(&Source{Name: name, Data: data}, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range c.settings(mine.Oracle.Order) {
		if data, err = Edit(data, s[0], s[1]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	_, err = Load(&Source{Name: name, Data: data}, nil, nil, nil)
	return data, err
}

// settings are the keys that the choice changes, with their values as text.
func (c Choice) settings(order []string) (list [][2]string) {
	set := func(key, text string) { list = append(list, [2]string{key, text}) }
	switch {
	case c.Name == "command" && c.Model != "":
		preset, model, _ := strings.Cut(c.Model, "/")
		set("oracle.command.preset", preset)
		set("oracle.command.model", model)
	case c.Model != "":
		set("oracle."+c.Name+".model", c.Model)
	}
	if c.BaseURL != "" {
		set("oracle."+c.Name+".base_url", c.BaseURL)
	}
	first := 0
	if len(order) > 0 && order[0] == "lessons" { // what was handed in is never asked for
		first = 1
	}
	others := slices.DeleteFunc(slices.Clone(order), func(s string) bool { return s == c.Name })
	moved := slices.Insert(others, min(first, len(others)), c.Name)
	if !slices.Equal(moved, order) {
		set("oracle.order", strings.Join(moved, ","))
	}
	return list
}
