/// Runs a contest in interleaved rounds. Each round runs every contender once, so that other load on the
/// machine affects all of them equally.
package struct ContestRunner {
    /// The number of counted rounds.
    package var rounds: Int
    /// Whether to begin with an additional round that is not counted.
    package var warmsUp: Bool
    /// The time after which further rounds of a contest are skipped. At least ``fewestRounds`` are run.
    package var limit: Duration
    /// Called before each run.
    package var willRun: (_ contender: String) -> Void

    /// The minimum number of rounds for a meaningful median.
    package static let fewestRounds = 3

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - rounds: The number of counted rounds.
    ///   - warmsUp: Whether to begin with an additional round that is not counted.
    ///   - limit: The time after which further rounds of a contest are skipped.
    ///   - willRun: Called before each run.
    package init(
        rounds: Int, warmsUp: Bool = true, limit: Duration = .seconds(120),
        willRun: @escaping (_ contender: String) -> Void = { _ in }
    ) {
        self.rounds = rounds
        self.warmsUp = warmsUp
        self.limit = limit
        self.willRun = willRun
    }

    /// Runs all rounds.
    ///
    /// - Throws: ``ChecksumMismatch``, or the error of a contender.
    package func run(_ contest: Contest) throws -> [ContenderResult] {
        var samples = contest.contenders.map { _ in [Sample]() }
        var peaks = contest.contenders.map { _ in 0 }
        let start = ContinuousClock.now
        for round in (warmsUp ? 0 : 1)...rounds {
            let isLate = ContinuousClock.now - start > limit
            if isLate, round > min(Self.fewestRounds, rounds) { break }
            for step in contest.contenders.indices {
                // Each round starts with a different contender, so that a contender does not always follow
                // the same one.
                let index = (step + round) % contest.contenders.count
                willRun(contest.contenders[index].name)
                let meter = PeakMemory()
                let sample = try contest.contenders[index].run()
                if round == 0 {
                    peaks[index] = meter.byteCount
                } else {
                    samples[index].append(sample)
                }
            }
        }
        try checkChecksums(contest, samples)
        return results(contest, samples, peaks)
    }

    private func checkChecksums(_ contest: Contest, _ samples: [[Sample]]) throws {
        let compared = samples.map { $0.filter(\.isCompared) }
        guard let reference = compared.firstIndex(where: { !$0.isEmpty }),
            let expected = compared[reference].first?.checksum
        else { return }
        for (contender, samples) in zip(contest.contenders, compared) {
            for sample in samples where sample.checksum != expected {
                throw ChecksumMismatch(
                    contest: contest.part, contender: contender.name,
                    reference: contest.contenders[reference].name, found: sample.checksum,
                    expected: expected)
            }
        }
    }

    private func results(
        _ contest: Contest, _ samples: [[Sample]], _ peaks: [Int]
    ) -> [ContenderResult] {
        let cpu = samples.map { $0.map { $0.perOperation(\.cpuNanoseconds) } }
        let wall = samples.map { $0.map { $0.perOperation(\.wallNanoseconds) } }
        let baseline = contest.contenders.firstIndex { $0.role == .baseline }
        return contest.contenders.indices.map { index in
            let contender = contest.contenders[index]
            var result = ContenderResult(
                name: contender.name, role: contender.role, goal: contender.goal,
                cpu: Summary(cpu[index]), wall: Summary(wall[index]))
            if let baseline {
                result.ratio = Ratio(of: cpu[index], to: cpu[baseline])
                if case .wallRatio = contender.goal {
                    result.wallRatio = Ratio(of: wall[index], to: wall[baseline])
                }
            }
            let bytes = samples[index].compactMap(\.bytesPerObject)
            result.bytesPerObject = bytes.isEmpty ? nil : Summary(bytes).median
            result.fileBytes = samples[index].compactMap(\.fileBytes).last
            result.peakBytes = peaks[index]
            result.checksum = samples[index].first?.checksum ?? 0
            result.isGoalMet = contender.goal?.isMet(by: result)
            return result
        }
    }
}

extension Sample {
    fileprivate func perOperation(_ clock: KeyPath<Cost, Double>) -> Double {
        cost[keyPath: clock] / Double(max(1, operations))
    }
}

/// The error of a contest in which two contenders did different work, so that their times cannot be compared.
package struct ChecksumMismatch: Error, CustomStringConvertible {
    /// The part of the row. A program adds the name of the row in front of it.
    package var contest: String
    /// The name of the contender that differs.
    package var contender: String
    /// The name of the contender with which it was compared.
    package var reference: String
    /// The checksum of the contender that differs.
    package var found: UInt64
    /// The checksum of the other contender.
    package var expected: UInt64

    /// A description of the failure, and advice.
    package var description: String {
        """
        \(contest.isEmpty ? "" : contest + ": ")“\(contender)” did not do the same work as \
        “\(reference)”: checksum \(String(found, radix: 16)), expected \
        \(String(expected, radix: 16)). Nothing of this contest can be compared; the error is in \
        the workload or in the library.
        """
    }
}
