internal import CairnModel
internal import CairnQueries

/// The last values of a deleted model, of the attributes that have the option `.preserveValueOnDeletion`.
///
/// As a sequence, it has the values in the order of the attributes' names.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Hashable, Sendable {
    private let values: [String: Value]
    private let entity: ModelEntity

    init(_ values: [String: Value], _ entity: ModelEntity) {
        (self.values, self.entity) = (values, entity)
    }

    /// Returns the last value of an attribute. Returns `nil` if the attribute is not preserved, had no value, or if the
    /// value does not fit its type any more.
    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
        guard let identifier = PropertySteps(keyPath)?.identifiers.first else { return nil }
        return entity.name(ofPropertyWith: identifier).flatMap(value).map {
            // The value was read for this call, so the caller has the only reference to it.
            unsafeBitCast($0, to: (any Sendable).self)
        }
    }

    /// Returns whether both have the same values of the same attributes.
    public static func == (left: Self, right: Self) -> Bool { left.values == right.values }

    /// Hashes the values.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }

    /// Returns an iterator over the values.
    public func makeIterator() -> IndexingIterator<[Any]> {
        values.keys.sorted().compactMap(value).makeIterator()
    }

    private func value(_ name: String) -> Any? {
        guard let stored = values[name], case .attribute(let form)? = entity.properties[name]?.kind
        else { return nil }
        return try? form.any(stored)
    }
}
