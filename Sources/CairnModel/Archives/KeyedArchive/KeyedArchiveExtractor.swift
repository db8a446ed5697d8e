/// Copies a part of a keyed archive to a new archive.
///
/// Objects are numbered in the order in which they are encountered, so equal parts produce equal bytes.
package struct KeyedArchiveExtractor {
    private let source: KeyedArchive
    private var builder = KeyedArchiveBuilder()
    /// The new number of each object encountered so far, by its old number.
    private var numbers: [Int: Int] = [:]
    private var pending: [Int] = []

    /// Returns the bytes of an archive whose root is the value.
    ///
    /// - Throws: `.wrongValue` if a reference points to no object.
    package static func archive(of value: ArchivedValue) throws(ArchiveError) -> [UInt8] {
        guard let object = value.object else {
            var builder = KeyedArchiveBuilder()
            return builder.finish(root: builder.add(plain: value))
        }
        var extractor = KeyedArchiveExtractor(source: object.archive)
        let root = try extractor.copy(object.number)
        return extractor.builder.finish(root: root)
    }

    /// Adds the root object of an archive, and everything it refers to, to an archive under construction.
    ///
    /// Returns the root object's number in the new archive.
    ///
    /// - Throws: `.wrongValue` if a reference points to no object.
    package static func graft(
        _ archive: KeyedArchive, into builder: inout KeyedArchiveBuilder
    ) throws(ArchiveError) -> Int {
        let root = try archive.root()
        guard let object = root.object else { return builder.add(plain: root) }
        var extractor = KeyedArchiveExtractor(source: archive)
        extractor.builder = builder
        let number = try extractor.copy(object.number)
        builder = extractor.builder
        return number
    }

    private init(source: KeyedArchive) {
        self.source = source
    }

    private mutating func copy(_ root: Int) throws(ArchiveError) -> Int {
        let number = self.number(for: root)
        while let old = pending.popLast() {
            guard let new = numbers[old] else { continue }
            builder.objects[new] = try copy(node: source.objects[old])
        }
        return number
    }

    /// Returns the new number of an object. An object encountered for the first time is queued for copying.
    private mutating func number(for old: Int) -> Int {
        if old == 0 { return 0 }
        if let number = numbers[old] { return number }
        let number = builder.reserve()
        numbers[old] = number
        pending.append(old)
        return number
    }

    /// Copies the content of an object: a plain value, or a container of references and plain values with at
    /// most one nested level of arrays.
    private mutating func copy(node: Int) throws(ArchiveError) -> Int {
        switch source.list.nodes[node] {
        case .reference(let old):
            guard source.objects.indices.contains(old) else {
                throw KeyedArchive.dangling(old)
            }
            return builder.intern(.reference(number(for: old)))
        case .array(let members):
            return builder.intern(.array(try copy(members: members)))
        case .dictionary(let keys, let values):
            return builder.intern(
                .dictionary(keys: try copy(members: keys), values: try copy(members: values)))
        case .data(let bytes):
            try source.spend(bytes.count / 8)
            return builder.intern(.data(bytes))
        case .string(let text):
            try source.spend(text.utf8.count / 8)
            return builder.intern(.string(text))
        case let plain: return builder.intern(plain)
        }
    }

    private mutating func copy(members: [Int]) throws(ArchiveError) -> [Int] {
        try source.spend(members.count)
        var copies: [Int] = []
        for member in members {
            switch source.list.nodes[member] {
            case .array(let inner):
                // `$classes` of a class and `NS.objects` of a collection contain only names and references.
                try source.spend(inner.count)
                var flat: [Int] = []
                for index in inner { flat.append(try copy(leaf: index)) }
                copies.append(builder.intern(.array(flat)))
            default: copies.append(try copy(leaf: member))
            }
        }
        return copies
    }

    private mutating func copy(leaf node: Int) throws(ArchiveError) -> Int {
        switch source.list.nodes[node] {
        case .array, .dictionary: return builder.intern(.null)
        default: return try copy(node: node)
        }
    }
}
