/// Two numbers, ordered by the first number and then by the second.
package struct KeyPair: Sendable, Hashable, Comparable {
    package var first: Int64
    package var second: Int64

    package init(_ first: Int64, _ second: Int64) {
        self.first = first
        self.second = second
    }

    package static func < (left: KeyPair, right: KeyPair) -> Bool {
        left.first != right.first ? left.first < right.first : left.second < right.second
    }
}

extension SortedMap where Key == KeyPair {
    /// Calls the body in order with each entry whose key begins with `first`.
    package func forEach(beginningWith first: Int64, _ body: (Int64, Value) -> Void) {
        forEach(from: KeyPair(first, .min)) { key, value in
            guard key.first == first else { return false }
            body(key.second, value)
            return true
        }
    }
}
