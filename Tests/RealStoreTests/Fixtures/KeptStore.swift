import Cairn
import CairnTestSupport
import Foundation
import Testing

/// A store in the folder `Fixtures` that is never changed, so that its content must always be read in the
/// same way.
struct KeptStore: CustomTestStringConvertible, Sendable {
    /// The path below `Fixtures` of the folder that contains the store and all files that belong to it.
    let folder: String
    let name: String
    let type: StoreType
    /// The store's model in the same folder, or `nil` if the store contains its model.
    let modelName: String?

    private init(
        _ folder: String, _ name: String, _ type: StoreType = .sqlite, model: String? = nil
    ) {
        self.folder = folder
        self.name = name
        self.type = type
        modelName = model
    }

    /// A store of each durable engine, written by Cairn 0.1.0. All contain the same objects.
    static let ours = [
        KeptStore("Stores/0.1.0", "Kept.sqlite"),
        KeptStore("Stores/0.1.0", "Kept.lmdb", .lmdb),
        KeptStore("Stores/0.1.0", "Kept.xml", .xml, model: "Kept.xcdatamodeld"),
        KeptStore("Stores/0.1.0", "Kept.binary", .binary),
    ]

    /// Real stores written by Core Data.
    static let coreData = [
        KeptStore("CoreData/CoreDataPlus", "SampleModel_V2.sqlite"),
        KeptStore("CoreData/BrowserServicesKit", "Bookmarks_V5.sqlite"),
        KeptStore(
            "CoreData/RestKit", "RKSeedDatabase.sqlite", model: "RKTwitterCoreData.xcdatamodel"),
    ]

    var testDescription: String { "\(folder)/\(name)" }

    private var source: URL {
        Repository.file("Fixtures").appending(path: folder)
    }

    /// Returns the lines of the dump file next to the store.
    func expectedDump() throws -> [String] {
        let text = try String(contentsOf: source.appending(path: name + ".dump"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    /// Copies the store, with all files next to it.
    func copy(into folder: TemporaryFolder) throws -> RealStore {
        let copy = folder.file("copy")
        try FileManager.default.copyItem(at: source, to: copy)
        return RealStore(
            copy.appending(path: name), type, model: modelName.map { copy.appending(path: $0) })
    }
}

extension RealStore {
    /// Returns the lines of a dump, with each long value replaced by its length and checksum.
    func shortDump() throws -> [String] {
        try dump().map { line in
            line.replacing(/"[A-Za-z0-9+\/=]{1000,}"/) { value in
                "\"\(value.output.count - 2) characters, FNV-1a \(Self.checksum(value.output))\""
            }
        }
    }

    private static func checksum(_ text: Substring) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
