//go:build !unix

package main

const peakUnit = 1

func syncDisks() {}
