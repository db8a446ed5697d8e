/// An object of a keyed archive: the name of its class and what it wrote under which key.
package struct ArchivedObject: Sendable {
    let archive: KeyedArchive
    /// Its place in `$objects`: equal where two references mean one object.
    package let number: Int
    package let className: String
    /// The class and those above it, as the archive lists them.
    package let ancestors: [String]
    /// Numbers of the nodes under each key.
    package let fields: [String: Int]

    /// Whether the archive says that it is of this class or one below it.
    package func isKind(of name: String) -> Bool {
        className == name || ancestors.contains(name)
    }

    /// Returns what is under the key; `.null` where there is nothing.
    ///
    /// - Throws: `.wrongValue` for a reference to nowhere.
    package func value(_ key: String) throws(ArchiveError) -> ArchivedValue {
        guard let node = fields[key] else { return .null }
        return try archive.value(node)
    }

    /// Returns the string under the key; nil where there is none.
    package func string(_ key: String) throws(ArchiveError) -> String? {
        try value(key).string
    }
    /// Returns the object under the key; nil where there is none.
    package func object(_ key: String) throws(ArchiveError) -> ArchivedObject? {
        try value(key).object
    }
    /// Returns whether the key holds a true value.
    package func boolean(_ key: String) throws(ArchiveError) -> Bool {
        try value(key).boolean ?? false
    }
    /// Returns the number under the key; nil where there is none.
    package func integer(_ key: String) throws(ArchiveError) -> Int? {
        try value(key).integer.flatMap { Int(exactly: $0) }
    }

    /// Returns the members of an archived array or set; none where it is neither.
    package func elements() throws(ArchiveError) -> [ArchivedValue] {
        guard let node = fields["NS.objects"], case .array(let members) = archive.list.nodes[node]
        else { return [] }
        try archive.spend(members.count)
        var elements: [ArchivedValue] = []
        for member in members { elements.append(try archive.value(member)) }
        return elements
    }

    /// Returns the members of the array or set under the key; none where there is neither.
    package func elements(_ key: String) throws(ArchiveError) -> [ArchivedValue] {
        try object(key)?.elements() ?? []
    }

    /// Returns the entries of an archived dictionary whose keys are strings, in archived order.
    ///
    /// Reads `NSDictionary` and `NSKnownKeysDictionary1`, the form in a store's `Z_MODELCACHE`.
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
        // NSKnownKeysDictionary1 marks keys without a value with a text of its own.
        let emptyToken = try string("emptyToken")
        for (key, value) in zip(keys, values) {
            guard let name = key.string else { continue }
            if emptyToken == nil || value.string != emptyToken { entries.append((name, value)) }
        }
        return entries
    }

    /// Returns the entries of the dictionary under the key; none where there is no dictionary.
    package func entries(_ key: String) throws(ArchiveError) -> [(
        key: String, value: ArchivedValue
    )] {
        try object(key)?.entries() ?? []
    }

    /// The plain value, if the object is one of the classes that stand for one.
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
        guard let place = fields[key] else { return nil }
        if case .reference(let number) = archive.list.nodes[place],
            archive.objects.indices.contains(number)
        {
            return archive.list.nodes[archive.objects[number]]
        }
        return archive.list.nodes[place]
    }
}
