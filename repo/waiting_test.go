package repo_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/repo"
)

func TestDefer(t *testing.T) {
	r, err := repo.Create(t.Context(), filepath.Join(scratch(t), "root"), repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list := func(f func() ([]string, error)) []string {
		t.Helper()
		names, err := f()
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	late, err := r.Defer(t0.Add(time.Second), "b", []byte("late"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the same at the same moment is one job
		if _, err := r.Defer(t0, "a", []byte("early")); err != nil {
			t.Fatal(err)
		}
	}
	early := list(r.Waiting)[0]
	if diff := cmp.Diff([]string{early, late}, list(r.Waiting)); diff != "" {
		t.Errorf("Waiting (-want +got):\n%s", diff)
	}
	if key, at := repo.JobKey(early), repo.JobTime(early); key != "a" || !at.Equal(t0) {
		t.Errorf("%s is %q at %s", early, key, at)
	}
	if jobs, err := r.Queue(); err != nil || len(jobs) != 0 {
		t.Errorf("Queue = %v, %v", jobs, err)
	}
	if data, err := r.Deferred(early); err != nil || string(data) != "early" {
		t.Errorf("Deferred = %q, %v", data, err)
	}
	if err := r.SetAside(early); err != nil {
		t.Fatal(err)
	}
	aside := list(r.Aside)
	if len(aside) != 1 || repo.JobKey(aside[0]) != "a" || len(list(r.Waiting)) != 1 {
		t.Errorf("aside %q, waiting %q", aside, list(r.Waiting))
	}
	if err := r.TakeBack(aside[0]); err != nil {
		t.Fatal(err)
	}
	for range 2 { // somebody else may have been faster
		if err := r.Finish(early); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Deferred(early); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Deferred of a finished job = %v", err)
	}
	if _, err := r.Defer(t0, "big", make([]byte, 33<<20)); !errors.Is(err, repo.ErrJobSize) {
		t.Errorf("Defer of 33 MB = %v", err)
	}
	for _, odd := range []string{"", "x", "x.session", "2026-b.session", "-.session"} {
		if !repo.JobTime(odd).IsZero() {
			t.Errorf("JobTime(%q) = %s", odd, repo.JobTime(odd))
		}
		_ = repo.JobKey(odd) // must not panic
	}
}

func TestNotes(t *testing.T) {
	r, err := repo.Create(t.Context(), filepath.Join(scratch(t), "root"), repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Kept(repo.NoteWork); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Kept = %v", err)
	}
	for _, text := range []string{"one", "two", ""} {
		if err := r.Keep(repo.NoteWork, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := r.Kept(repo.NoteWork); err != nil || string(data) != text {
			t.Errorf("Kept = %q, %v", data, err)
		}
	}
	if _, err := r.Kept(repo.NoteMarks); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another note: %v", err)
	}
	if r.Working() {
		t.Error("somebody works")
	}
	lock, err := r.Work(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Work(t.Context()); !errors.Is(err, repo.ErrLocked) || !r.Working() {
		t.Errorf("a second worker: %v", err)
	}
	if err := lock.Release(); err != nil || r.Working() {
		t.Errorf("after release: %v", err)
	}
}
