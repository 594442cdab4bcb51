// Command peer is a River for Go client that is driven over standard input and output, one JSON value a line. It is
// the judge of this repository's claims of compatibility, and ends when its input does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
)

// handler answers requests once a database is connected.
type handler interface {
	handle(ctx context.Context, method string, params json.RawMessage) (any, error)
}

var current handler

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, "not a request:", err)
			os.Exit(2)
		}
		if asked.Method == "connect" || asked.Method == "open" {
			// What follows needs the result of these, so nothing may overtake them.
			respond(asked)
			continue
		}
		go respond(asked)
	}
}

func respond(asked request) {
	result, err := serve(context.Background(), asked)
	if err != nil {
		say(answer{ID: asked.ID, Error: err.Error()})
		return
	}
	say(answer{ID: asked.ID, Result: result})
}

func serve(ctx context.Context, asked request) (any, error) {
	switch asked.Method {
	case "connect":
		opened, err := connect(ctx, asked.Params)
		if err == nil {
			current = opened
		}
		return nil, err
	case "cron":
		return cronInstants(asked.Params)
	case "release":
		return nil, release(asked.Params)
	}
	if current == nil {
		return nil, fmt.Errorf("%s before connect", asked.Method)
	}
	return current.handle(ctx, asked.Method, asked.Params)
}
