package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
)

// request is one line of standard input. Every request gets exactly one answer, in any order.
type request struct {
	ID     int64           `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type answer struct {
	ID     int64  `json:"id"`
	Result any    `json:"result"`
	Error  string `json:"error,omitempty"`
}

// event is a line that nobody asked for: what a worker does, and what the client reports.
type event struct {
	Event   string `json:"event"`
	JobID   string `json:"jobId,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Queue   string `json:"queue,omitempty"`
	State   string `json:"state,omitempty"`
	Detail  any    `json:"detail,omitempty"`
}

var output = struct {
	sync.Mutex
	writer *bufio.Writer
}{writer: bufio.NewWriter(os.Stdout)}

// say writes one line of JSON. A parent that is gone makes the process end.
func say(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		line, _ = json.Marshal(event{Event: "unspeakable", Detail: err.Error()})
	}
	output.Lock()
	defer output.Unlock()
	_, _ = output.writer.Write(append(line, '\n'))
	if output.writer.Flush() != nil {
		os.Exit(3)
	}
}

func parse[T any](params json.RawMessage) (T, error) {
	var value T
	if len(params) == 0 {
		return value, nil
	}
	err := json.Unmarshal(params, &value)
	return value, err
}
