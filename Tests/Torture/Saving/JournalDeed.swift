import Foundation

/// A manual change to the files of an interrupted save over several stores.
struct JournalDeed: Sendable, Hashable {
    /// The file that is changed.
    enum Target: String, CaseIterable, Sendable {
        case journal, pointer
        /// The pointer next to the store that has the journal next to it.
        case firstPointer = "first pointer"
    }

    /// The change. Offsets are given in thousandths of the file's length, because the length depends on the
    /// paths of the stores.
    enum Deed: Sendable, Hashable {
        case remove
        case cut(Int)
        case change(Int)
        /// Moves away the store that the file belongs to.
        case moveStore
    }

    var target: Target
    var deed: Deed

    /// Returns all deeds.
    ///
    /// - Parameter step: The distance between two offsets, in thousandths.
    static func all(step: Int) -> [JournalDeed] {
        let offsets = Array(stride(from: 0, to: 1_000, by: step))
        return Target.allCases.flatMap { target in
            let deeds = offsets.map(Deed.cut) + offsets.map(Deed.change) + [.moveStore]
            // A store whose pointer was removed cannot know of the save.
            return (target == .journal ? [.remove] + deeds : deeds).map {
                JournalDeed(target: target, deed: $0)
            }
        }
    }

    /// Whether the save can no longer be completed, although only one of the stores contains it.
    var makesDoubtful: Bool { target == .journal || deed == .moveStore }

    /// Performs the deed in the folder of the stores.
    ///
    /// - Returns: The path of the store that was moved away, or `nil` if no store was moved.
    func perform(in folder: String) throws -> String? {
        guard let file = try Self.file(target, in: folder) else {
            throw HarnessFailure("there is no \(target.rawValue) in \(folder)")
        }
        let files = FileManager.default
        switch deed {
        case .remove: try files.removeItem(atPath: file)
        case .moveStore:
            let store = Self.store(of: file)
            try files.moveItem(atPath: store, toPath: store + Self.movedSuffix)
            return store
        case .cut(let offset):
            let content = try Data(contentsOf: URL(fileURLWithPath: file))
            try content.prefix(content.count * offset / 1_000)
                .write(to: URL(fileURLWithPath: file))
        case .change(let offset):
            var content = try Data(contentsOf: URL(fileURLWithPath: file))
            content[content.count * offset / 1_000] ^= 0x10
            try content.write(to: URL(fileURLWithPath: file))
        }
        return nil
    }

    /// Moves a store back.
    static func undoMove(of store: String) throws {
        try FileManager.default.moveItem(atPath: store + movedSuffix, toPath: store)
    }

    private static let movedSuffix = "-moved"
    private static let suffix = "-pending"

    /// Returns the store that a file belongs to (docs/formats/save-journal.md lists the names).
    private static func store(of file: String) -> String {
        file.range(of: suffix).map { String(file[..<$0.lowerBound]) } ?? file
    }

    private static func file(_ target: Target, in folder: String) throws -> String? {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { $0.contains(suffix) }.map { folder + "/" + $0 }
        guard let journal = files.first(where: { $0.contains(suffix + "-") }) else { return nil }
        let first = store(of: journal) + suffix
        return switch target {
        case .journal: journal
        case .firstPointer: first
        case .pointer: files.first { $0 != journal && $0 != first }
        }
    }
}

extension JournalDeed: CustomStringConvertible {
    var description: String {
        let what =
            switch deed {
            case .remove: "removed"
            case .cut(let offset): "cut@\(offset)"
            case .change(let offset): "changed@\(offset)"
            case .moveStore: "store-moved"
            }
        return "\(target.rawValue) \(what)"
    }
}
