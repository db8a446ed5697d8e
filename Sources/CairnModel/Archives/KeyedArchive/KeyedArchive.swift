import Synchronization

/// A keyed archive that is read as plain data: objects are identified by number and classes by name.
///
/// Reading never looks up or instantiates a class, so a hostile archive cannot run code.
package final class KeyedArchive: Sendable {
    let list: BinaryPropertyList
    /// The node index of each entry of `$objects`.
    let objects: [Int]
    /// The node index of the reference under `root` in `$top`.
    let rootReference: Int
    /// The number of members that may still be read. Objects can share members, so a small hostile archive
    /// can expand to a huge one. A valid archive is only read a few times over.
    private let budget: Mutex<Int>

    /// - Throws: `.damaged` if the property list is invalid, or `.unexpectedRoot` if it is not a keyed archive.
    package init(_ bytes: [UInt8]) throws(ArchiveError) {
        list = try BinaryPropertyList(bytes)
        guard let outermost = list.members(of: list.root),
            let table = outermost["$objects"], case .array(let objects) = list.nodes[table]
        else {
            throw .unexpectedRoot("the property list is not a keyed archive: it has no $objects")
        }
        guard let top = outermost["$top"], let names = list.members(of: top),
            let root = names["root"]
        else { throw .unexpectedRoot("the keyed archive has no object “root”") }
        self.objects = objects
        rootReference = root
        budget = Mutex(1000 + 16 * (list.nodes.count + list.memberCount))
    }

    /// Returns the root object of the archive.
    ///
    /// - Throws: `.wrongValue` if a reference points to no object.
    package func root() throws(ArchiveError) -> ArchivedValue {
        try value(rootReference)
    }

    /// Returns the value of a node. If the node is a reference, returns the value that it refers to.
    ///
    /// Strings, dates and data are returned as plain values, even if they were archived as objects.
    func value(_ node: Int) throws(ArchiveError) -> ArchivedValue {
        guard case .reference(let number) = list.nodes[node] else {
            return plain(list.nodes[node]) ?? .null
        }
        guard objects.indices.contains(number) else {
            throw Self.dangling(number)
        }
        let target = list.nodes[objects[number]]
        if case .string("$null") = target, number == 0 { return .null }
        if let value = plain(target) { return value }
        guard let object = try object(numbered: number) else {
            throw .wrongValue(
                object: "object \(number)", key: "$class", detail: "the object has no class")
        }
        return object.bridged()
    }

    /// Subtracts members that are read from the budget.
    ///
    /// - Throws: `.wrongValue` if more members were read than a valid archive requires.
    func spend(_ count: Int) throws(ArchiveError) {
        let isLeft = budget.withLock { left in
            left -= count
            return left >= 0
        }
        guard isLeft else {
            throw .wrongValue(
                object: "the archive", key: "$objects",
                detail: "its objects refer to each other too often")
        }
    }

    static func dangling(_ number: Int) -> ArchiveError {
        .wrongValue(
            object: "the archive", key: "$objects",
            detail: "reference \(number) leads to no object")
    }

    private func plain(_ node: BinaryPropertyList.Node) -> ArchivedValue? {
        switch node {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        // Models contain no integers beyond `Int64.max`.
        case .unsigned(let value): .integer(Int64(bitPattern: value))
        case .real(let value): .real(value)
        case .date(let value): .date(value)
        case .data(let value): .data(value)
        case .string(let value): .string(value)
        case .reference, .array, .dictionary: nil
        }
    }

    private func object(numbered number: Int) throws(ArchiveError) -> ArchivedObject? {
        guard let fields = list.members(of: objects[number]) else { return nil }
        try spend(fields.count)
        guard let classNode = fields["$class"],
            case .reference(let classNumber) = list.nodes[classNode],
            objects.indices.contains(classNumber),
            let description = list.members(of: objects[classNumber]),
            let nameNode = description["$classname"], case .string(let name) = list.nodes[nameNode]
        else { return nil }
        var ancestors: [String] = []
        if let node = description["$classes"], case .array(let names) = list.nodes[node] {
            for case .string(let ancestor) in names.map({ list.nodes[$0] }) {
                ancestors.append(ancestor)
            }
        }
        return ArchivedObject(
            archive: self, number: number, className: name, ancestors: ancestors, fields: fields)
    }
}
