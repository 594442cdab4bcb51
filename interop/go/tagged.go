package main

import (
	"encoding/json"
	"fmt"

	"github.com/riverqueue/river"
)

// Argument types whose unique key is made of some of their fields: the shapes in which Go declares them.
type (
	kinded struct{ kind string }

	taggedFlat struct {
		kinded
		To      string `json:"to" river:"unique"`
		Amount  int    `json:"amount" river:"unique"`
		Comment string `json:"comment"`
	}
	address struct {
		City string `json:"city" river:"unique"`
		Zip  string `json:"zip"`
	}
	taggedNested struct {
		kinded
		Address address   `json:"address"`
		Second  *address2 `json:"second"`
		Name    string    `json:"name" river:"unique"`
		Note    string    `json:"note,omitempty" river:"unique"`
	}
	address2 struct {
		Street string `json:"street" river:"unique"`
		Number int    `json:"number"`
	}
	place struct {
		Z int    `json:"z"`
		A string `json:"a"`
	}
	taggedWhole struct {
		kinded
		Place place          `json:"place" river:"unique"`
		List  []string       `json:"list" river:"unique"`
		Map   map[string]int `json:"map" river:"unique"`
		Other int            `json:"other"`
	}
	taggedDotted struct {
		kinded
		Dot    int `json:"a.b" river:"unique"`
		Zero   int `json:"a0" river:"unique"`
		Star   int `json:"c*" river:"unique"`
		Colon  int `json:":d" river:"unique"`
		Nested struct {
			Dot int `json:"x.y" river:"unique"`
		} `json:"a"`
	}
	taggedDigit struct {
		kinded
		Inner struct {
			One int `json:"1" river:"unique"`
		} `json:"a"`
	}
	// mapArgs are what a Go program may not use by arguments.
	mapArgs map[string]int
)

func (args kinded) Kind() string { return args.kind }
func (mapArgs) Kind() string     { return "map_args" }

// taggedArgs reads the arguments into the type that is named.
func taggedArgs(name, kind string, raw json.RawMessage) (river.JobArgs, error) {
	switch name {
	case "flat":
		args := taggedFlat{kinded: kinded{kind}}
		return args.read(raw)
	case "nested":
		args := taggedNested{kinded: kinded{kind}}
		err := json.Unmarshal(raw, &args)
		return args, err
	case "whole":
		args := taggedWhole{kinded: kinded{kind}}
		err := json.Unmarshal(raw, &args)
		return args, err
	case "dotted":
		args := taggedDotted{kinded: kinded{kind}}
		err := json.Unmarshal(raw, &args)
		return args, err
	case "digit":
		args := taggedDigit{kinded: kinded{kind}}
		err := json.Unmarshal(raw, &args)
		return args, err
	case "map":
		args := mapArgs{}
		err := json.Unmarshal(raw, &args)
		return args, err
	}
	return nil, fmt.Errorf("no tagged type %q", name)
}

func (args taggedFlat) read(raw json.RawMessage) (river.JobArgs, error) {
	err := json.Unmarshal(raw, &args)
	return args, err
}
