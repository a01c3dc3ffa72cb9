package codec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

func (d *decoder) readSources(list value) (sources []index.Source, err error) {
	err = eachElement(list, "sources", func(v value) error {
		sources = append(sources, index.Source{})
		return d.readSource(&sources[len(sources)-1], v)
	})
	return sources, err
}

func (d *decoder) readSource(s *index.Source, object value) error {
	return d.eachMember(object, "a source", func(name string, v value) (err error) {
		switch name {
		case "id":
			s.ID, err = d.readString(name, v)
		case "n":
			err = decodeInto(&s.N, name, v.raw)
		case "home":
			s.Home, err = d.readString(name, v)
		case "trace":
			s.Trace, err = d.readString(name, v)
		case "session":
			s.Session, err = d.readString(name, v)
		case "span":
			s.Span, err = d.readString(name, v)
		case "model":
			s.Model, err = d.readString(name, v)
		case "at":
			s.At = d.timeOrNow(v.raw)
		default:
			s.Unknown, err = keepMember(s.Unknown, name, v.raw)
		}
		return err
	})
}

// readSeen reads the lines of sightings: time, reflection, and the record that it
// was counted for if that became part of this one.
func (d *decoder) readSeen(it *index.Item, list value) error {
	return eachElement(list, "seen", func(v value) error {
		line, err := d.readString("a line of seen", v)
		if err != nil {
			return err
		}
		parts := strings.Split(line, " ")
		at, ok := parseTime(parts[0])
		if !ok || len(parts) < 2 || len(parts) > 3 || parts[1] == "" {
			return fmt.Errorf("seen has %q, which is no time and reflection", line)
		}
		s := index.Sighting{At: at, ID: parts[1]}
		if len(parts) == 3 {
			s.Home = parts[2]
		}
		it.Seen = append(it.Seen, s)
		return nil
	})
}

// readSet reads when fields were set.
func (d *decoder) readSet(it *index.Item, object value) error {
	return d.eachMember(object, "set", func(name string, v value) error {
		it.Set = append(it.Set, index.Stamp{Field: name, At: d.timeOrNow(v.raw)})
		return nil
	})
}

// readUndone reads what was taken back: numbers of sightings ("r-1 m-1") and links
// ("m-2>m-1"), and what fields were set to ("m-1.status").
func (d *decoder) readUndone(object value) (index.Undone, error) {
	u := index.Undone{Sightings: map[index.Mark]int{}, Links: map[index.Link]int{}, Fields: map[index.FieldMark]index.Register{}}
	return u, d.eachMember(object, "undone", func(name string, v value) error {
		var n int
		if a, b, ok := strings.Cut(name, " "); ok {
			err := decodeInto(&n, name, v.raw)
			u.Sightings[index.Mark{Reflection: a, Record: b}] = n
			return err
		}
		if a, b, ok := strings.Cut(name, ">"); ok {
			err := decodeInto(&n, name, v.raw)
			u.Links[index.Link{From: a, Into: b}] = n
			return err
		}
		record, field, ok := strings.Cut(name, ".")
		var parts []jsontext.Value
		err := decodeInto(&parts, name, v.raw)
		if err == nil && len(parts) == 2 {
			err = parts[1].Compact() // as index compares them
		}
		if err == nil && (!ok || len(parts) != 2) {
			err = fmt.Errorf("undone has %q, which this version does not know", name)
		}
		if err != nil {
			return err
		}
		u.Fields[index.FieldMark{Record: record, Field: field}] = index.Register{At: d.timeOrNow(parts[0]), Value: string(parts[1])}
		return nil
	})
}

// undoneMember writes what was taken back, by name; readUndone reads it.
func (e *encoder) undoneMember(u index.Undone) {
	cells := map[string]any{}
	for m, n := range u.Sightings {
		cells[m.Reflection+" "+m.Record] = n
	}
	for l, n := range u.Links {
		cells[l.From+">"+l.Into] = n
	}
	for m, v := range u.Fields {
		cells[m.Record+"."+m.Field] = []any{v.At, jsontext.Value(v.Value)}
	}
	names := slices.Sorted(maps.Keys(cells))
	e.nestMember("undone", "{}", len(names), func(i int) { e.valueMember(names[i], cells[names[i]]) })
}
