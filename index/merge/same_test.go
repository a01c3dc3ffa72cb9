package merge

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"mem/index"
)

// No member of a record, however deep, is left out where two records are compared.
func TestIsSameRecord(t *testing.T) {
	fill := func() *index.Item {
		it := &index.Item{}
		fillValue(reflect.ValueOf(it).Elem())
		return it
	}
	if !isSameRecord(fill(), fill()) {
		t.Fatal("a record is not the same as itself")
	}
	seen := 0
	it := fill()
	eachLeaf("", reflect.ValueOf(it).Elem(), func(path string) {
		seen++
		if isSameRecord(it, fill()) {
			t.Errorf("records that differ in %s count as the same", path)
		}
	})
	if seen < 60 {
		t.Errorf("only %d members were looked at", seen)
	}
}

// fillValue gives every part of a value some content.
func fillValue(v reflect.Value) {
	switch at, isTime := v.Addr().Interface().(*time.Time); {
	case isTime:
		*at = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i))
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem())
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillValue(v.Index(0))
	case v.Kind() == reflect.Map:
		of := reflect.New(v.Type().Elem()).Elem()
		fillValue(of)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), of)
	default:
		step(v)
	}
}

// step changes a value that has no parts.
func step(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.CanUint():
		v.SetUint(v.Uint() + 1)
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	default:
		v.SetString(v.String() + "x")
	}
}

// eachLeaf changes each part of a value, one at a time, and calls f meanwhile.
func eachLeaf(path string, v reflect.Value, f func(path string)) {
	with := func(to reflect.Value) {
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		v.Set(to)
		f(path)
		v.Set(was)
	}
	switch at, isTime := v.Addr().Interface().(*time.Time); {
	case isTime:
		with(reflect.ValueOf(at.Add(time.Millisecond)))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			eachLeaf(path+"."+v.Type().Field(i).Name, v.Field(i), f)
		}
	case v.Kind() == reflect.Pointer:
		with(reflect.Zero(v.Type()))
		eachLeaf(path, v.Elem(), f)
	case v.Kind() == reflect.Slice:
		with(reflect.Zero(v.Type()))
		eachLeaf(fmt.Sprint(path, "[0]"), v.Index(0), f)
	case v.Kind() == reflect.Map:
		with(reflect.Zero(v.Type()))
		of := reflect.New(v.Type().Elem()).Elem()
		of.Set(v.MapIndex(reflect.ValueOf("k")))
		eachLeaf(path+"[k]", of, func(path string) {
			was := v.MapIndex(reflect.ValueOf("k"))
			v.SetMapIndex(reflect.ValueOf("k"), of)
			f(path)
			v.SetMapIndex(reflect.ValueOf("k"), was)
		})
	default:
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		step(v)
		f(path)
		v.Set(was)
	}
}
