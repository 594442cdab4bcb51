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
	taggedFirstDigit struct {
		kinded
		Two int `json:"2" river:"unique"`
	}
	// taggedNameless marks a field whose tag gives it no name and one that is not encoded: Go looks for the first under
	// the empty name and for the second under a hyphen, where neither is.
	taggedNameless struct {
		kinded
		B int `json:",omitempty" river:"unique"`
		D int `json:"-" river:"unique"`
		C int `json:"c" river:"unique"`
	}
	// taggedRepeated encodes one name twice.
	taggedRepeated struct {
		kinded
		second int
	}
)

func (args taggedRepeated) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"a":1,"a":%d}`, args.second), nil
}

func (args *taggedRepeated) UnmarshalJSON(raw []byte) error {
	var given struct {
		Second int `json:"second"`
	}
	err := json.Unmarshal(raw, &given)
	args.second = given.Second
	return err
}

func (args kinded) Kind() string { return args.kind }

// taggedArgs reads the arguments into the type that is named.
func taggedArgs(name, kind string, raw json.RawMessage) (river.JobArgs, error) {
	tag := kinded{kind}
	switch name {
	case "flat":
		return readArgs(raw, taggedFlat{kinded: tag})
	case "nested":
		return readArgs(raw, taggedNested{kinded: tag})
	case "whole":
		return readArgs(raw, taggedWhole{kinded: tag})
	case "dotted":
		return readArgs(raw, taggedDotted{kinded: tag})
	case "digit":
		return readArgs(raw, taggedDigit{kinded: tag})
	case "firstDigit":
		return readArgs(raw, taggedFirstDigit{kinded: tag})
	case "nameless":
		return readArgs(raw, taggedNameless{kinded: tag})
	case "repeated":
		return readArgs(raw, taggedRepeated{kinded: tag})
	}
	if args, err := taggedVector(name, tag, raw); args != nil {
		return args, err
	}
	return nil, fmt.Errorf("no tagged type %q", name)
}

func readArgs[T river.JobArgs](raw json.RawMessage, args T) (river.JobArgs, error) {
	err := json.Unmarshal(raw, &args)
	return args, err
}
