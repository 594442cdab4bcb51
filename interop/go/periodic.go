package main

import "github.com/riverqueue/river"

type periodicJob struct {
	ID         string       `json:"id"`
	EveryMs    int64        `json:"everyMs"`
	Cron       string       `json:"cron"`
	Zone       string       `json:"zone"`
	RunOnStart bool         `json:"runOnStart"`
	Job        insertParams `json:"job"`
}

func (job periodicJob) build() (*river.PeriodicJob, error) {
	args, opts, err := job.Job.build()
	if err != nil {
		return nil, err
	}
	schedule := river.PeriodicInterval(milliseconds(job.EveryMs))
	if job.Cron != "" {
		if schedule, err = (cronParams{Expression: job.Cron, Zone: job.Zone}).schedule(); err != nil {
			return nil, err
		}
	}
	construct := func() (river.JobArgs, *river.InsertOpts) { return args, opts }
	return river.NewPeriodicJob(schedule, construct, &river.PeriodicJobOpts{ID: job.ID, RunOnStart: job.RunOnStart}), nil
}
