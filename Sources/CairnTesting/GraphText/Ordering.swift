/// The order of two values.
enum Ordering {
    case before, same, after

    /// Returns this ordering, or the next ordering if this one is `same`.
    func then(_ next: @autoclosure () -> Ordering) -> Ordering { self == .same ? next() : self }
}

extension Int {
    func compared(to other: Int) -> Ordering {
        self < other ? .before : self > other ? .after : .same
    }
}

extension String {
    /// Compares by Unicode scalars.
    func compared(to other: String) -> Ordering { Array(utf8).compared(to: Array(other.utf8)) }
}

extension [UInt8] {
    func compared(to other: [UInt8]) -> Ordering {
        if lexicographicallyPrecedes(other) { return .before }
        return other.lexicographicallyPrecedes(self) ? .after : .same
    }
}

extension [Int] {
    func compared(to other: [Int]) -> Ordering {
        if lexicographicallyPrecedes(other) { return .before }
        return other.lexicographicallyPrecedes(self) ? .after : .same
    }
}
