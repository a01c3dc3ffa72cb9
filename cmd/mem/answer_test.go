package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// answer stands in for a model's command line in scripts. Its first argument
// says how it behaves.
func answer() {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	switch os.Args[1] {
	case "print": // a text
		fmt.Println(os.Args[2])
	case "record": // keep the prompt and the environment in a file
		keep := fmt.Sprintf("MEM_CHILD=%s\n%s", os.Getenv("MEM_CHILD"), prompt)
		if err := os.WriteFile(os.Args[2], []byte(keep), 0o600); err != nil {
			panic(err)
		}
		fmt.Println(os.Args[3])
	case "reword": // every lesson: one word taken out or, without a word, all the same
		fmt.Println(reword(prompt, os.Args[2:]))
	case "fail":
		fmt.Fprintln(os.Stderr, "no credit left")
		os.Exit(3)
	case "hang":
		if len(os.Args) > 2 { // say that it began
			if err := os.WriteFile(os.Args[2], nil, 0o600); err != nil {
				panic(err)
			}
		}
		time.Sleep(time.Minute)
	case "prose":
		fmt.Println("I looked at it closely and all went rather well, I think.")
	case "huge":
		fmt.Println(strings.Repeat("all went well. ", 2<<20/15))
	}
}

func reword(prompt []byte, args []string) string {
	var list struct {
		Items []struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		} `json:"items"`
	}
	text := string(prompt)
	if err := json.Unmarshal([]byte(text[strings.LastIndex(text, `{"items"`):]), &list); err != nil {
		panic(err)
	}
	for i := range list.Items {
		if len(args) == 0 {
			list.Items[i].Text = "Do it well"
		} else {
			list.Items[i].Text = strings.ReplaceAll(list.Items[i].Text, args[0], "")
		}
	}
	out, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return string(out)
}
