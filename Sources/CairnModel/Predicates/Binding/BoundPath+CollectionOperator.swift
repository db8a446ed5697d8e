extension BoundPath {
    /// An operator that combines the values reached through a to-many into one value.
    public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
        /// The number of values that are not nil. 0 if there are no values.
        case count
        /// The sum of the values, ignoring nil. 0 if there are no values.
        case sum
        /// The minimum, maximum and average of the values, ignoring nil. Nil if there are no values.
        case min, max, average

        /// The operator's name in a key path, such as `@avg`.
        package var keyPathName: String { self == .average ? "@avg" : "@\(rawValue)" }

        /// Creates the operator with a name in a key path. Returns `nil` if there is no such operator.
        package init?(keyPathName name: String) {
            guard let found = Self.allCases.first(where: { $0.keyPathName == name }) else {
                return nil
            }
            self = found
        }
    }
}
