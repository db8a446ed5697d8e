/// The differences between two reports, beyond noise.
///
/// With a baseline, ratios to the baseline are compared, which are independent of the machine and its load.
/// Without a baseline, processor times are compared, and the quartiles show how certain the difference is.
package struct ReportComparison {
    /// A contender that is in both reports.
    package struct Change {
        /// The row, its part, the engine and the size.
        package var row: String
        /// The contender.
        package var name: String
        /// Whether ratios were compared. Otherwise times were compared.
        package var isRatio: Bool
        /// The value in the older report.
        package var before: Double
        /// The value in the newer report.
        package var after: Double

        /// The newer value divided by the older value. 0.5 means twice as fast.
        package var factor: Double { before == 0 ? 1 : after / before }
    }

    /// The contenders that became slower, starting with the largest change.
    package let slower: [Change]
    /// The contenders that became faster, starting with the largest change.
    package let faster: [Change]
    /// The number of contenders without a significant change.
    package let unchangedCount: Int
    /// The contenders that are in only one of the reports.
    package let unmatched: [String]

    /// The smallest change that is reported. Smaller changes are ignored even if they are certain.
    private static let smallestChange = 0.05

    /// Compares every contender in the newer report with the same contender in the older report.
    package init(from old: Report, to new: Report) {
        let before = Self.entries(of: old)
        let after = Self.entries(of: new)
        var changes: [Change] = []
        var unchanged = 0
        for (key, entry) in after {
            guard let previous = before[key] else { continue }
            if let change = Self.change(from: previous, to: entry) {
                changes.append(change)
            } else {
                unchanged += 1
            }
        }
        slower = changes.filter { $0.factor > 1 }.sorted { $0.factor > $1.factor }
        faster = changes.filter { $0.factor <= 1 }.sorted { $0.factor < $1.factor }
        unchangedCount = unchanged
        let names = Set(before.keys).symmetricDifference(after.keys)
        unmatched = names.map { "\($0.row), \($0.name)" }.sorted()
    }

    private struct Key: Hashable {
        var row: String
        var name: String
    }

    private struct Entry {
        var key: Key
        var result: ContenderResult
    }

    private static func entries(of report: Report) -> [Key: Entry] {
        var entries: [Key: Entry] = [:]
        for row in report.rows {
            for result in row.contenders where result.role != .baseline {
                let part = row.part.isEmpty ? "" : " (\(row.part))"
                let size = Format.whole(Double(row.size))
                let key = Key(
                    row: "\(row.workload)\(part), \(row.engine), \(size)", name: result.name)
                entries[key] = Entry(key: key, result: result)
            }
        }
        return entries
    }

    private static func change(from old: Entry, to new: Entry) -> Change? {
        let pair: (before: Interval, after: Interval)
        let isRatio: Bool
        if let before = old.result.ratio, let after = new.result.ratio {
            isRatio = true
            pair = (Interval(before), Interval(after))
        } else {
            isRatio = false
            pair = (Interval(old.result.cpu), Interval(new.result.cpu))
        }
        let change = Change(
            row: new.key.row, name: new.key.name, isRatio: isRatio,
            before: pair.before.median, after: pair.after.median)
        let isClear = !pair.before.overlaps(pair.after)
        return isClear && abs(change.factor - 1) >= smallestChange ? change : nil
    }

    private struct Interval {
        var low: Double
        var median: Double
        var high: Double

        init(_ ratio: Ratio) {
            (low, median, high) = (ratio.low, ratio.median, ratio.high)
        }

        init(_ summary: Summary) {
            (low, median, high) = (summary.lowerQuartile, summary.median, summary.upperQuartile)
        }

        func overlaps(_ other: Interval) -> Bool { low <= other.high && other.low <= high }
    }
}

extension ReportComparison: CustomStringConvertible {
    /// Lines for a terminal.
    package var description: String {
        var lines: [String] = []
        if !slower.isEmpty { lines += ["slower than before:"] + slower.map(Self.line) }
        if !faster.isEmpty { lines += ["faster than before:"] + faster.map(Self.line) }
        lines.append("\(unchangedCount) unchanged, as far as the noise lets one tell")
        if !unmatched.isEmpty {
            lines.append("in one of the reports only: \(unmatched.count)")
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ change: Change) -> String {
        func show(_ value: Double) -> String {
            change.isRatio ? Format.ratio(value) : Format.time(nanoseconds: value)
        }
        let percent = Format.whole(abs(change.factor - 1) * 100)
        let sign = change.factor > 1 ? "+" : "−"
        return "    \(change.row): \(change.name)  \(show(change.before)) → "
            + "\(show(change.after))  (\(sign)\(percent) %)"
    }
}
