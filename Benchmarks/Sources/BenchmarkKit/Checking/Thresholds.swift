import Foundation

/// The bounds beyond which a change has made something slower or larger: what `script/check-speed`
/// checks.
///
/// Processor time is bounded as a ratio to the row's baseline, because times differ between machines.
/// Memory is bounded in bytes of one object, which do not.
public struct Thresholds: Codable, Sendable, Equatable {
    /// The limits of one contender. At least one of them is not `nil`.
    public struct Limit: Codable, Sendable, Equatable {
        /// The row.
        public var workload: String
        /// The part of the row. Empty if the row has one part.
        public var part: String
        /// The engine.
        public var engine: String
        /// The contender.
        public var contender: String
        /// The highest ratio of processor time to the baseline's. `nil` if the row has no baseline.
        public var ratio: Double?
        /// The most bytes of memory for one object. `nil` if the row does not measure them.
        public var bytes: Double?
    }

    /// How many objects the stores hold: ratios are other ones at other sizes.
    public var size: Int
    /// In the order of the report that they were made from.
    public var limits: [Limit]

    /// How far above the upper end of a ratio's interval its limit is. Two runs, and two builds of the
    /// same code, differ by this much on a machine that others use too.
    public static let margin = 1.25
    /// How far above the measured bytes of an object their limit is. Bytes hardly differ between runs.
    public static let byteMargin = 1.05

    /// Makes limits from what was measured.
    ///
    /// A contender of ours that has neither a baseline nor a figure for memory gets no limit.
    public init(from report: Report) {
        size = report.mainSize
        limits = report.rows.filter { $0.size == report.mainSize }.flatMap { row in
            row.contenders.filter { $0.role == .ours }.compactMap { Self.limit(of: $0, in: row) }
        }
    }

    /// Returns these limits, with new ones for the rows of a report and as they are for all others.
    ///
    /// A report of stores of another size replaces all.
    public func updated(from report: Report) -> Thresholds {
        var updated = Thresholds(from: report)
        guard updated.size == size else { return updated }
        let others = limits.filter { old in
            !updated.limits.contains { $0.workload == old.workload && $0.engine == old.engine }
        }
        updated.limits = others + updated.limits
        return updated
    }

    private static func limit(of result: ContenderResult, in row: RowResult) -> Limit? {
        guard result.ratio != nil || result.bytesPerObject != nil else { return nil }
        return Limit(
            workload: row.workload, part: row.part, engine: row.engine, contender: result.name,
            ratio: result.ratio.map { ($0.high * margin * 100).rounded() / 100 },
            bytes: result.bytesPerObject.map { ($0 * byteMargin).rounded(.up) })
    }

    /// Returns a line for each limit that is surely exceeded, or that was not measured.
    ///
    /// A ratio counts by the lower end of its interval, so that noise alone does not fail.
    public func violations(in report: Report) -> [String] {
        limits.flatMap { limit -> [String] in
            let part = limit.part.isEmpty ? "" : " (\(limit.part))"
            let name = "\(limit.workload)\(part), \(limit.engine), \(limit.contender)"
            guard let result = report.result(of: limit, size: size) else {
                return ["\(name): not measured at \(size) objects"]
            }
            return result.excesses(over: limit).map { "\(name): \($0)" }
        }
    }

    /// Reads limits.
    ///
    /// - Throws: if the file cannot be read, or has another form.
    public init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Thresholds.self, from: try Data(contentsOf: url))
    }

    /// Writes limits, for ``init(contentsOf:)``.
    ///
    /// - Throws: if the file cannot be written.
    public func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (try encoder.encode(self) + Data("\n".utf8)).write(to: url, options: .atomic)
    }
}

extension Report {
    fileprivate func result(of limit: Thresholds.Limit, size: Int) -> ContenderResult? {
        let row = rows.first { row in
            row.workload == limit.workload && row.part == limit.part
                && row.engine == limit.engine && row.size == size
        }
        return row?.contenders.first { $0.name == limit.contender }
    }
}

extension ContenderResult {
    /// Says which limits are exceeded or cannot be checked.
    fileprivate func excesses(over limit: Thresholds.Limit) -> [String] {
        [limit.ratio.flatMap(excess(overRatio:)), limit.bytes.flatMap(excess(overBytes:))]
            .compactMap(\.self)
    }

    private func excess(overRatio limit: Double) -> String? {
        guard let ratio else { return "no ratio was measured" }
        guard ratio.low > limit else { return nil }
        return "\(Format.ratio(ratio.median)) (at least \(Format.ratio(ratio.low)))"
            + " of the baseline, the limit is \(Format.ratio(limit))"
    }

    private func excess(overBytes limit: Double) -> String? {
        guard let bytesPerObject else { return "the memory of an object was not measured" }
        guard bytesPerObject > limit else { return nil }
        return "\(Format.whole(bytesPerObject)) B an object, the limit is \(Format.whole(limit)) B"
    }
}
