/// Runs a contest in interleaved rounds: each round runs every contender once, so that whatever
/// else the machine does falls on all of them alike.
public struct ContestRunner {
    /// How many rounds are counted.
    public var rounds: Int
    /// Whether one more round is run first, which is not counted.
    public var warmsUp: Bool
    /// How long a contest may take before rounds are left out. At least ``fewestRounds`` are run.
    public var limit: Duration
    /// Told before each run.
    public var willRun: (_ contender: String) -> Void

    /// With fewer, a median says little.
    public static let fewestRounds = 3

    /// - Parameters:
    ///   - rounds: how many are counted.
    ///   - warmsUp: whether one more round is run first, which is not counted.
    ///   - limit: how long a contest may take before rounds are left out.
    ///   - willRun: told before each run.
    public init(
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
    /// - Throws: ``ChecksumMismatch``; what a contender throws.
    public func run(_ contest: Contest) throws -> [ContenderResult] {
        var samples = contest.contenders.map { _ in [Sample]() }
        var peaks = contest.contenders.map { _ in 0 }
        let start = ContinuousClock.now
        for round in (warmsUp ? 0 : 1)...rounds {
            let isLate = ContinuousClock.now - start > limit
            if isLate, round > min(Self.fewestRounds, rounds) { break }
            for step in contest.contenders.indices {
                // Each round begins with another, so that none always follows the same one.
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
        guard let expected = samples.first?.first?.checksum else { return }
        for (contender, samples) in zip(contest.contenders, samples) {
            for sample in samples where sample.checksum != expected {
                throw ChecksumMismatch(
                    contest: contest.part, contender: contender.name,
                    reference: contest.contenders[0].name, found: sample.checksum,
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

/// Two contenders of a contest did not do the same work, so their times mean nothing.
public struct ChecksumMismatch: Error, CustomStringConvertible {
    /// The part of the row; a program puts the row's name before it.
    public var contest: String
    /// Who differs.
    public var contender: String
    /// From whom.
    public var reference: String
    /// The checksum of the one who differs.
    public var found: UInt64
    /// The checksum of the other.
    public var expected: UInt64

    /// What failed and what to do.
    public var description: String {
        """
        \(contest.isEmpty ? "" : contest + ": ")“\(contender)” did not do the same work as \
        “\(reference)”: checksum \(String(found, radix: 16)), expected \
        \(String(expected, radix: 16)). Nothing of this contest can be compared; the error is in \
        the workload or in the library.
        """
    }
}
