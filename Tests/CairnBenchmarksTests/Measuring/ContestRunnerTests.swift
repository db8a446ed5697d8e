import Testing

@testable import CairnBenchmarks

@Suite struct `Rounds of a contest` {
    private func sample(checksum: UInt64 = 7) -> Sample {
        Sample(Stopwatch(), operations: 1, checksum: checksum)
    }

    private func sample(cpu: Double, wall: Double) -> Sample {
        var sample = sample()
        sample.cost = Cost(cpuNanoseconds: cpu, wallNanoseconds: wall)
        return sample
    }

    @Test func `run every contender once each, beginning with a different one`() throws {
        var order = ""
        let contest = Contest(
            unit: "step",
            [
                Contender("a", .baseline) {
                    order += "a"; return self.sample()
                },
                Contender("b", .ours) {
                    order += "b"; return self.sample()
                },
                Contender("c", .peer) {
                    order += "c"; return self.sample()
                },
            ])

        _ = try ContestRunner(rounds: 2).run(contest)

        #expect(order == "abcbcacab")
    }

    @Test func `do not count the first round`() throws {
        let contest = Contest(unit: "step", [Contender("a", .ours) { self.sample() }])

        let results = try ContestRunner(rounds: 4).run(contest)

        #expect(results[0].cpu.samples.count == 4)
    }

    @Test func `compare checksums even if there is no uncounted round`() throws {
        var runs = 0
        let contest = Contest(
            unit: "step",
            [
                Contender("a", .baseline) {
                    runs += 1; return self.sample()
                },
                Contender("b", .ours) { self.sample(checksum: 8) },
            ])

        #expect(throws: ChecksumMismatch.self) {
            try ContestRunner(rounds: 1, warmsUp: false).run(contest)
        }
        #expect(runs == 1)
    }

    @Test func `end if a contender did other work`() throws {
        let contest = Contest(
            part: "load", unit: "step",
            [
                Contender("C", .baseline) { self.sample() },
                Contender("lazy one", .ours) { self.sample(checksum: 8) },
            ])

        let error = #expect(throws: ChecksumMismatch.self) {
            try ContestRunner(rounds: 1).run(contest)
        }

        #expect(error?.contender == "lazy one")
        #expect(error.map { "\($0)" }?.contains("did not do the same work as “C”") == true)
    }

    @Test func `are reduced to as few as three if a contest takes too long`() throws {
        let contest = Contest(unit: "step", [Contender("a", .ours) { self.sample() }])

        let results = try ContestRunner(rounds: 50, limit: .zero).run(contest)

        #expect(results[0].cpu.samples.count == 3)
    }

    @Test func `compare ratios and goals with the baseline`() throws {
        let contest = Contest(
            unit: "step",
            [
                Contender("C", .baseline) { self.sample() },
                Contender("Cairn", .ours, goal: .bytes(10)) {
                    Sample(Stopwatch(), operations: 1, checksum: 7, bytesPerObject: 11)
                },
            ])

        let results = try ContestRunner(rounds: 1).run(contest)

        #expect(results[1].ratio != nil)
        #expect(results[1].isGoalMet == false)
        #expect(results[0].isGoalMet == nil)
    }

    /// Two threads use as much processor time as one, and half of the wall-clock time.
    @Test(arguments: [
        (Goal.ratio(0.65), false), (.wallRatio(0.65), true), (.wallRatio(0.45), false),
    ])
    func `apply a goal to the clock that it names`(_ goal: Goal, _ isMet: Bool) throws {
        let contest = Contest(
            unit: "step",
            [
                Contender("C", .baseline) { self.sample(cpu: 100, wall: 100) },
                Contender("Cairn", .ours, goal: goal) { self.sample(cpu: 100, wall: 50) },
            ])

        let results = try ContestRunner(rounds: 3).run(contest)

        #expect(results[1].isGoalMet == isMet)
        #expect(results[1].ratio?.median == 1)
    }
}
