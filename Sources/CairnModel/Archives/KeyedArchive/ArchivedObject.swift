import Foundation

/// An object of a keyed archive: the name of its class and its values by key.
package struct ArchivedObject: Sendable {
    let archive: KeyedArchive
    /// The object's index in `$objects`. References with the same index refer to the same object.
    package let number: Int
    package let className: String
    /// The class and its superclasses, as the archive lists them.
    package let ancestors: [String]
    /// The node index of the value under each key.
    package let fields: [String: Int]

    /// Returns whether the archive lists `name` as the object's class or one of its superclasses.
    package func isKind(of name: String) -> Bool {
        className == name || ancestors.contains(name)
    }

    /// Returns the value under a key, or `.null` if there is no value.
    ///
    /// - Throws: `.wrongValue` if a reference points to no object.
    package func value(_ key: String) throws(ArchiveError) -> ArchivedValue {
        guard let node = fields[key] else { return .null }
        return try archive.value(node)
    }

    /// Returns the string under a key, or `nil` if there is no string.
    package func string(_ key: String) throws(ArchiveError) -> String? {
        try value(key).string
    }
    /// Returns the object under a key, or `nil` if there is no object.
    package func object(_ key: String) throws(ArchiveError) -> ArchivedObject? {
        try value(key).object
    }
    /// Returns whether the value under a key is true. Returns `false` if there is no value, or if it is
    /// neither a Boolean nor a number.
    package func boolean(_ key: String) throws(ArchiveError) -> Bool {
        try value(key).boolean ?? false
    }
    /// Returns the integer under a key, or `nil` if there is no integer or it does not fit `Int`.
    package func integer(_ key: String) throws(ArchiveError) -> Int? {
        try value(key).integer.flatMap { Int(exactly: $0) }
    }

    /// Returns the members of an archived array or set. Returns an empty array if the object is
    /// neither.
    package func elements() throws(ArchiveError) -> [ArchivedValue] {
        guard let node = fields["NS.objects"], case .array(let members) = archive.list.nodes[node]
        else { return [] }
        try archive.spend(members.count)
        var elements: [ArchivedValue] = []
        for member in members { elements.append(try archive.value(member)) }
        return elements
    }

    /// Returns the members of the array or set under a key. Returns an empty array if the value is
    /// neither.
    package func elements(_ key: String) throws(ArchiveError) -> [ArchivedValue] {
        try object(key)?.elements() ?? []
    }

    /// Returns the entries of an archived dictionary whose keys are strings, in archived order.
    ///
    /// Reads `NSDictionary` and `NSKnownKeysDictionary1`, which the `Z_MODELCACHE` table of a store uses.
    package func entries() throws(ArchiveError) -> [(key: String, value: ArchivedValue)] {
        let (keys, values): ([ArchivedValue], [ArchivedValue])
        if let mapping = try object("searchMapping") {
            keys = try mapping.elements("keys")
            values = try elements("values")
        } else if let node = fields["NS.keys"], case .array(let members) = archive.list.nodes[node]
        {
            try archive.spend(members.count)
            var names: [ArchivedValue] = []
            for member in members { names.append(try archive.value(member)) }
            keys = names
            values = try elements()
        } else {
            return []
        }
        var entries: [(key: String, value: ArchivedValue)] = []
        // NSKnownKeysDictionary1 marks keys without a value with a special string.
        let emptyToken = try string("emptyToken")
        for (key, value) in zip(keys, values) {
            guard let name = key.string else { continue }
            if emptyToken == nil || value.string != emptyToken { entries.append((name, value)) }
        }
        return entries
    }

    /// Returns the entries of the dictionary under a key. Returns an empty array if the value is not a
    /// dictionary.
    package func entries(_ key: String) throws(ArchiveError) -> [(
        key: String, value: ArchivedValue
    )] {
        try object(key)?.entries() ?? []
    }

    /// Returns the plain value if the object's class represents one. Otherwise, returns the object itself.
    func bridged() -> ArchivedValue {
        if isKind(of: "NSString"), case .string(let text)? = node("NS.string") {
            return .string(text)
        }
        if isKind(of: "NSString"), case .data(let utf8)? = node("NS.bytes") {
            return .string(String(decoding: utf8, as: UTF8.self))
        }
        if isKind(of: "NSData"), case .data(let data)? = node("NS.data") ?? node("NS.bytes") {
            return .data(data)
        }
        if isKind(of: "NSDate"), case .real(let seconds)? = node("NS.time") {
            return .date(seconds)
        }
        if isKind(of: "NSDate"), case .integer(let seconds)? = node("NS.time") {
            return .date(Double(seconds))
        }
        return .object(self)
    }

    private func node(_ key: String) -> BinaryPropertyList.Node? {
        guard let index = fields[key] else { return nil }
        if case .reference(let number) = archive.list.nodes[index],
            archive.objects.indices.contains(number)
        {
            return archive.list.nodes[archive.objects[number]]
        }
        return archive.list.nodes[index]
    }
}

/// A value of a keyed archive.
package enum ArchivedValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// A date in seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    case object(ArchivedObject)

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var object: ArchivedObject? { if case .object(let value) = self { value } else { nil } }

    /// The Boolean, or whether the number is not 0. `nil` for any other value.
    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != 0
        case .real(let value): value != 0
        default: nil
        }
    }

    /// The integer, a Boolean as 1 or 0, or a real number truncated towards zero. `nil` for any other value,
    /// and for a real number that does not fit.
    package var integer: Int64? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.towardZero))
        default: nil
        }
    }

    /// The number as a real number, or a Boolean as 1 or 0. `nil` for any other value.
    package var real: Double? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
