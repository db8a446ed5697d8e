import Foundation

extension ArchivableValue {
    /// The value as a Swift value of the corresponding type: `[Any]`, `[String: Any]`,
    /// `Set<AnyHashable>`, `String`, `Int64` and so on. `nil` for null. Null in a container is `NSNull`.
    /// An ordered set is an `NSOrderedSet`, because Swift has no such type.
    package var anyValue: Any? {
        switch self {
        case .null: nil
        case .boolean(let value): value
        case .integer(let value): value
        case .unsigned(let value): value
        case .real(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .array(let members): members.map(\.memberValue)
        case .orderedSet(let members): NSOrderedSet(array: members.map(\.memberValue))
        case .set(let members): Set(members.map(\.hashableValue))
        case .dictionary(let entries): Self.dictionary(entries)
        }
    }

    private var memberValue: Any { anyValue ?? NSNull() }

    /// The value for use in a set or as a key. Containers of `Any` cannot be hashed, so containers are
    /// not converted.
    private var hashableValue: AnyHashable {
        switch self {
        case .array, .orderedSet, .dictionary: AnyHashable(self)
        default: memberValue as? AnyHashable ?? AnyHashable(self)
        }
    }

    private static func dictionary(_ entries: [ArchivableValue: ArchivableValue]) -> Any {
        var texts: [String: Any] = [:]
        var others: [AnyHashable: Any] = [:]
        for (key, value) in entries {
            if case .string(let text) = key {
                texts[text] = value.memberValue
            } else {
                others[key.hashableValue] = value.memberValue
            }
        }
        if others.isEmpty { return texts }
        for (key, value) in texts { others[key] = value }
        return others
    }

    /// Creates a value from a Swift or Foundation value whose type is on the list. Returns `nil` for any
    /// other value, for a container with such a value, and for containers that are nested more deeply
    /// than ``depthLimit``.
    package init?(any value: Any) {
        self.init(any: value, depth: 1)
    }

    private init?(any value: Any, depth: Int) {
        guard depth <= Self.depthLimit else { return nil }
        if let value = value as? ArchivableValue {
            self = value
        } else if let number = AnyNumber(value) {
            self.init(number)
        } else if let simple = Self.simple(value) {
            self = simple
        } else if let container = Self.container(value, depth: depth) {
            self = container
        } else if let value = value as? any ArchiveConvertible {
            self = value.archivable
        } else {
            return nil
        }
    }

    private init?(_ number: AnyNumber) {
        switch number {
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self.init(exactly: value)
        case .real(let value): self = .real(value)
        case .decimal(let value): self = .decimal(value)
        }
    }

    private static func simple(_ value: Any) -> ArchivableValue? {
        switch value {
        case let value as String: .string(value)
        case let value as Substring: .string(String(value))
        case let value as Date: .date(value)
        case let value as UUID: .uuid(value)
        case let value as URL: .url(value)
        case let value as Data: .data(value)
        case is NSNull: .null
        default: nil
        }
    }

    private static func container(_ value: Any, depth: Int) -> ArchivableValue? {
        switch value {
        case let value as NSOrderedSet:
            members(value.array, depth: depth).map { .orderedSet($0) }
        case let value as [Any]: members(value, depth: depth).map { .array($0) }
        case let value as Set<AnyHashable>:
            members(value.map(\.base), depth: depth).map { .set(Set($0)) }
        case let value as [AnyHashable: Any]: entries(value, depth: depth).map { .dictionary($0) }
        default: nil
        }
    }

    private static func members(_ values: [Any], depth: Int) -> [ArchivableValue]? {
        var members: [ArchivableValue] = []
        for value in values {
            guard let member = ArchivableValue(any: value, depth: depth + 1) else { return nil }
            members.append(member)
        }
        return members
    }

    private static func entries(
        _ values: [AnyHashable: Any], depth: Int
    ) -> [ArchivableValue: ArchivableValue]? {
        var entries: [ArchivableValue: ArchivableValue] = [:]
        for (key, value) in values {
            guard let key = ArchivableValue(any: key.base, depth: depth + 1),
                let member = ArchivableValue(any: value, depth: depth + 1)
            else { return nil }
            entries[key] = member
        }
        return entries
    }
}
