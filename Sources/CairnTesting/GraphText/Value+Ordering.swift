import Cairn
import Foundation

extension Value {
    /// Whether the value is a string. People identify objects by strings.
    var isText: Bool { if case .string = self { true } else { false } }

    /// Compares two values in a total order: `nil` comes first, then values are ordered by type, and then by
    /// value. Only equal values compare as equal.
    func compared(to other: Value) -> Ordering {
        switch (self, other) {
        case (.boolean(let a), .boolean(let b)): (a ? 1 : 0).compared(to: b ? 1 : 0)
        case (.integer(let a), .integer(let b)): Int(a).compared(to: Int(b))
        case (.double(let a), .double(let b)): a.totallyCompared(to: b)
        case (.float(let a), .float(let b)): a.totallyCompared(to: b)
        case (.decimal(let a), .decimal(let b)): a < b ? .before : b < a ? .after : .same
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.totallyCompared(to: b.timeIntervalSinceReferenceDate)
        case (.string(let a), .string(let b)): a.compared(to: b)
        case (.uuid(let a), .uuid(let b)): a.uuidString.compared(to: b.uuidString)
        case (.uri(let a), .uri(let b)): a.absoluteString.compared(to: b.absoluteString)
        case (.binary(let a), .binary(let b)), (.transformable(let a), .transformable(let b)):
            Array(a).compared(to: Array(b))
        case (.composite(let a), .composite(let b)): Self.compare(a, b)
        default: kindNumber.compared(to: other.kindNumber)
        }
    }

    private static func compare(_ left: [String: Value], _ right: [String: Value]) -> Ordering {
        let names = Set(left.keys).union(right.keys).sorted { $0.compared(to: $1) == .before }
        return names.map { left[$0] ?? .null }.compared(to: names.map { right[$0] ?? .null })
    }

    private var kindNumber: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .double: 3
        case .float: 4
        case .decimal: 5
        case .string: 6
        case .date: 7
        case .binary: 8
        case .uuid: 9
        case .uri: 10
        case .transformable: 11
        case .composite: 12
        case .objectID: 13
        }
    }
}

extension [Value] {
    /// Compares element by element. A prefix of another array comes before that array.
    func compared(to other: [Value]) -> Ordering {
        for (left, right) in zip(self, other) {
            let ordering = left.compared(to: right)
            if ordering != .same { return ordering }
        }
        return count.compared(to: other.count)
    }
}

extension BinaryFloatingPoint {
    /// Compares in IEEE 754's total order, in which −0 comes before 0 and NaN comes last.
    fileprivate func totallyCompared(to other: Self) -> Ordering {
        let isBefore = isTotallyOrdered(belowOrEqualTo: other)
        let isAfter = other.isTotallyOrdered(belowOrEqualTo: self)
        return isBefore == isAfter ? .same : isBefore ? .before : .after
    }
}
