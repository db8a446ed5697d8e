import Foundation

/// The limits beyond which a change has made something slower or larger. `script/check-speed` checks them.
///
/// Processor time is limited as a ratio to the row's baseline, because times differ between machines. Memory
/// is limited in bytes per object, which do not differ.
package struct Thresholds: Codable, Sendable, Equatable {
    /// The limits of one contender. At least one of `ratio` and `bytes` is not `nil`.
    package struct Limit: Codable, Sendable, Equatable {
        /// The name of the row.
        package var workload: String
        /// The part of the row. Empty if the row has only one part.
        package var part: String
        /// The engine.
        package var engine: String
        /// The contender.
        package var contender: String
        /// The maximum ratio of processor time to the baseline's, or `nil` if the row has no baseline.
        package var ratio: Double?
        /// The maximum number of bytes of memory per object, or `nil` if the row does not measure them.
        package var bytes: Double?
    }

    /// The number of objects in the stores. Ratios differ at other sizes.
    package var size: Int
    /// The limits, in the order of the report from which they were created.
    package var limits: [Limit]

    /// The factor between the upper end of a ratio's interval and its limit. Two runs, or two builds of the
    /// same code, can differ by this much on a machine that is also used otherwise.
    package static let margin = 1.25
    /// The factor between the measured bytes of an object and their limit. Bytes hardly differ between runs.
    package static let byteMargin = 1.05

    /// Creates limits from measurements.
    ///
    /// A Cairn contender that has neither a baseline nor a memory figure gets no limit.
    package init(from report: Report) {
        size = report.mainSize
        limits = report.rows.filter { $0.size == report.mainSize }.flatMap { row in
            row.contenders.filter { $0.role == .ours }.compactMap { Self.limit(of: $0, in: row) }
        }
    }

    /// Returns these limits, with those for the report's rows replaced.
    ///
    /// A report of stores of another size replaces all limits.
    package func updated(from report: Report) -> Thresholds {
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

    /// Returns a line for each limit that is certainly exceeded, or that was not measured.
    ///
    /// A ratio is compared by the lower end of its interval, so that noise alone does not cause a violation.
    package func violations(in report: Report) -> [String] {
        limits.flatMap { limit -> [String] in
            let part = limit.part.isEmpty ? "" : " (\(limit.part))"
            let name = "\(limit.workload)\(part), \(limit.engine), \(limit.contender)"
            guard let result = report.result(of: limit, size: size) else {
                return ["\(name): not measured at \(size) objects"]
            }
            return result.excesses(over: limit).map { "\(name): \($0)" }
        }
    }

    /// Reads limits from a file.
    ///
    /// - Throws: An error if the file cannot be read or has a different format.
    package init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Thresholds.self, from: try Data(contentsOf: url))
    }

    /// Writes limits to a file that ``init(contentsOf:)`` can read.
    ///
    /// - Throws: An error if the file cannot be written.
    package func write(to url: URL) throws {
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
    /// Returns descriptions of the limits that are exceeded or cannot be checked.
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
