extension Array: ArchiveConvertible where Element: ArchiveConvertible {
    /// Takes an array, or an ordered set, if each member can be taken.
    public init?(archivable value: ArchivableValue) {
        switch value {
        case .array(let members), .orderedSet(let members):
            let converted = members.compactMap(Element.init(archivable:))
            guard converted.count == members.count else { return nil }
            self = converted
        default: return nil
        }
    }
    /// An array.
    public var archivable: ArchivableValue { .array(map(\.archivable)) }
}

extension Set: ArchiveConvertible where Element: ArchiveConvertible {
    /// Takes a set if each member can be taken, and no two become equal.
    public init?(archivable value: ArchivableValue) {
        guard case .set(let members) = value else { return nil }
        let converted = Set(members.compactMap(Element.init(archivable:)))
        guard converted.count == members.count else { return nil }
        self = converted
    }
    /// A set.
    public var archivable: ArchivableValue { .set(Set<ArchivableValue>(map(\.archivable))) }
}

extension Dictionary: ArchiveConvertible where Key: ArchiveConvertible, Value: ArchiveConvertible {
    /// Takes a dictionary if each key and each value can be taken, and no two keys become equal.
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
    /// A dictionary.
    public var archivable: ArchivableValue {
        .dictionary(
            Dictionary<ArchivableValue, ArchivableValue>(
                map { ($0.key.archivable, $0.value.archivable) },
                uniquingKeysWith: { first, _ in first }))
    }
}
