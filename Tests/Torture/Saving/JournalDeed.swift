import Foundation

/// What is done by hand to the files of a save over several stores that was interrupted.
struct JournalDeed: Sendable, Hashable {
    /// Which file it is done to.
    enum Target: String, CaseIterable, Sendable {
        case journal, pointer
    }

    /// What is done. Offsets are parts of the file's length, in thousandths: its length depends on where
    /// the stores are.
    enum Deed: Sendable, Hashable {
        case remove
        case cut(Int)
        case change(Int)
        /// The store that the file is beside is moved away.
        case moveStore
    }

    var target: Target
    var deed: Deed

    /// - Parameter step: between two offsets, in thousandths.
    static func all(step: Int) -> [JournalDeed] {
        let offsets = Array(stride(from: 0, to: 1_000, by: step))
        return Target.allCases.flatMap { target in
            let deeds = offsets.map(Deed.cut) + offsets.map(Deed.change) + [.moveStore]
            // A store whose pointer is gone cannot know of the save.
            return (target == .journal ? [.remove] + deeds : deeds).map {
                JournalDeed(target: target, deed: $0)
            }
        }
    }

    /// Whether it leaves nothing by which the save could be finished, while one store has it and another
    /// has not.
    var makesDoubtful: Bool { target == .journal || deed == .moveStore }

    /// Does it in the folder of the stores.
    ///
    /// - Returns: the path of the store that was moved away. `nil` if none was.
    func perform(in folder: String) throws -> String? {
        guard let file = try Self.file(target, in: folder) else {
            throw HarnessFailure("there is no \(target.rawValue) in \(folder)")
        }
        let files = FileManager.default
        switch deed {
        case .remove: try files.removeItem(atPath: file)
        case .moveStore:
            let store = String(file.dropLast(Self.suffix.count))
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

    /// Brings a store back.
    static func undoMove(of store: String) throws {
        try FileManager.default.moveItem(atPath: store + movedSuffix, toPath: store)
    }

    private static let movedSuffix = "-moved"
    private static let suffix = "-pending"

    /// A file of a save names its kind after the mark and the version (docs/formats/save-journal.md).
    private static func file(_ target: Target, in folder: String) throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { $0.hasSuffix(suffix) }.map { folder + "/" + $0 }
            .first {
                let content = try Data(contentsOf: URL(fileURLWithPath: $0))
                return content.count > 12 && content[12] == (target == .journal ? 1 : 2)
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
