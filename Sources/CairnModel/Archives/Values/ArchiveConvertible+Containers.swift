extension Array: ArchiveConvertible where Element: ArchiveConvertible {
    /// Creates an array from an archived array or ordered set. Returns `nil` if a member cannot be converted.
    public init?(archivable value: ArchivableValue) {
        switch value {
        case .array(let members), .orderedSet(let members):
            let converted = members.compactMap(Element.init(archivable:))
            guard converted.count == members.count else { return nil }
            self = converted
        default: return nil
        }
    }
    /// The value as an array.
    public var archivable: ArchivableValue { .array(map(\.archivable)) }
}

extension Set: ArchiveConvertible where Element: ArchiveConvertible {
    /// Creates a set from an archived set. Returns `nil` if a member cannot be converted, or if two members
    /// become equal.
    public init?(archivable value: ArchivableValue) {
        guard case .set(let members) = value else { return nil }
        let converted = Set(members.compactMap(Element.init(archivable:)))
        guard converted.count == members.count else { return nil }
        self = converted
    }
    /// The value as a set.
    public var archivable: ArchivableValue { .set(Set<ArchivableValue>(map(\.archivable))) }
}

extension Dictionary: ArchiveConvertible where Key: ArchiveConvertible, Value: ArchiveConvertible {
    /// Creates a dictionary from an archived one. Returns `nil` if a key or a value cannot be converted, or
    /// if two keys become equal.
    public init?(archivable value: ArchivableValue) {
        guard case .dictionary(let entries) = value else { return nil }
        var converted: [Key: Value] = [:]
        for (key, value) in entries {
            guard let key = Key(archivable: key), let value = Value(archivable: value),
                converted.updateValue(value, forKey: key) == nil
            else { return nil }
        }
        self = converted
    }
    /// The value as a dictionary.
    public var archivable: ArchivableValue {
        .dictionary(
            Dictionary<ArchivableValue, ArchivableValue>(
                map { ($0.key.archivable, $0.value.archivable) },
                uniquingKeysWith: { first, _ in first }))
    }
}
