import Foundation

/// The ratios to the C library beyond which a change has made something slower: what
/// `script/check-speed` checks.
public struct Thresholds: Codable, Sendable, Equatable {
    /// One contender's limit.
    public struct Limit: Codable, Sendable, Equatable {
        /// The row.
        public var workload: String
        /// Its part; empty where there is one.
        public var part: String
        /// The engine.
        public var engine: String
        /// The contender.
        public var contender: String
        /// The highest ratio of processor time to the baseline's.
        public var ratio: Double
    }

    /// How many objects the stores hold: ratios are other ones at other sizes.
    public var size: Int
    /// In the order of the report that they were made from.
    public var limits: [Limit]

    /// How much above the upper end of a ratio's interval a limit is put: what differs between two
    /// runs, and between two builds of the same code, on a machine that others use too.
    public static let margin = 1.25

    /// Makes limits of what was measured.
    public init(from report: Report) {
        size = report.mainSize
        limits = report.rows.flatMap { row in
            row.contenders.compactMap { result in
                guard result.role == .ours, let ratio = result.ratio, row.size == report.mainSize
                else { return nil }
                return Limit(
                    workload: row.workload, part: row.part, engine: row.engine,
                    contender: result.name,
                    ratio: (ratio.high * Self.margin * 100).rounded() / 100)
            }
        }
    }

    /// Returns a line for each limit that is surely exceeded, or was not measured.
    ///
    /// A ratio counts by the lower end of its interval: noise alone does not fail.
    public func violations(in report: Report) -> [String] {
        limits.compactMap { limit in
            let part = limit.part.isEmpty ? "" : " (\(limit.part))"
            let place = "\(limit.workload)\(part), \(limit.engine), \(limit.contender)"
            guard let ratio = report.ratio(of: limit, size: size) else {
                return "\(place): not measured at \(size) objects"
            }
            guard ratio.low > limit.ratio else { return nil }
            return "\(place): \(Format.ratio(ratio.median)) (at least \(Format.ratio(ratio.low)))"
                + " of the C library, the limit is \(Format.ratio(limit.ratio))"
        }
    }

    /// Reads limits.
    ///
    /// - Throws: where the file cannot be read, or is of another form.
    public init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Thresholds.self, from: try Data(contentsOf: url))
    }

    /// Writes limits, for ``init(contentsOf:)``.
    ///
    /// - Throws: where the file cannot be written.
    public func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (try encoder.encode(self) + Data("\n".utf8)).write(to: url, options: .atomic)
    }
}

extension Report {
    fileprivate func ratio(of limit: Thresholds.Limit, size: Int) -> Ratio? {
        let row = rows.first { row in
            row.workload == limit.workload && row.part == limit.part
                && row.engine == limit.engine && row.size == size
        }
        return row?.contenders.first { $0.name == limit.contender }?.ratio
    }
}
