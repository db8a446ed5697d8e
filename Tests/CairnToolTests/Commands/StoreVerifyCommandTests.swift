import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Tests `cairn store verify` with references that lead nowhere.
@Suite struct `Verify command` {
    private let folder: TemporaryFolder
    private let model: ManagedObjectModel

    init() throws {
        folder = try TemporaryFolder()
        model = try ManagedObjectModel([
            EntityDescription(
                "Owner",
                [
                    .toMany("parts", "Part", inverse: "owner", deleteRule: .noAction),
                    .toMany("items", "Item", inverse: "owner", deleteRule: .cascade),
                ]),
            EntityDescription("Part", [.toOne("owner", "Owner", inverse: "parts")]),
            EntityDescription(
                "Item",
                [
                    .toOne("owner", "Owner", inverse: "items", isOptional: false),
                    .toOne("note", "Item"),
                    .toOne("left", "Item", inverse: "right"),
                    .toOne("right", "Item", inverse: "left"),
                ]),
        ])
    }

    private typealias Reference = (name: String, entity: String, key: Int64)

    /// Creates a store with these objects. An engine writes their references as they are.
    private func store(
        _ type: StoreType, _ objects: [(entity: String, key: Int64, references: [Reference])]
    ) throws -> URL {
        let url = folder.file("store")
        let store = try StoreRegistry.builtIn.engine(ofType: type)
            .open(OpenRequest(location: .file(url), model: model))
        defer { try? store.close() }
        var writer = RowWriter(store: store.number)
        for object in objects {
            let layout = store.request.layouts.layout(
                of: try #require(model.entity(named: object.entity)))
            writer.begin(layout, key: object.key, version: 1)
            for reference in object.references {
                let entity = try #require(model.entity(named: reference.entity))
                let slot = try #require(layout.slot(named: reference.name))
                writer.set(key: reference.key, entity: entity.number, at: slot)
            }
            writer.endRow()
        }
        let save = try store.beginSave()
        defer { save.rollback() }
        _ = try save.reserveKeys(
            Dictionary(uniqueKeysWithValues: model.entities.map { ($0.number, 20) }))
        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try save.commit()
        return url
    }

    @Test(arguments: everyFileEngine)
    func `reports each broken reference, and names those that are allowed`(
        _ type: StoreType
    ) throws {
        let url = try store(
            type,
            [
                ("Owner", 1, []),
                ("Part", 1, [("owner", "Owner", 9)]),
                ("Item", 1, [("owner", "Owner", 1), ("note", "Item", 9), ("left", "Item", 2)]),
                ("Item", 2, [("owner", "Owner", 9)]),
                ("Item", 3, []),
            ])

        let run = try ToolRun(["store", "verify", url.path])

        #expect(run.exitCode == 3)
        #expect(
            Set(run.text.split(separator: "\n").map(String.init)) == [
                "Item/1.left: leads to Item/2, whose right does not lead back",
                "Item/1.note: leads to Item/9, which does not exist (allowed: the relationship has no"
                    + " inverse)",
                "Item/2.owner: leads to Owner/9, which does not exist",
                "Item/3.owner: the required value is nil",
                "Part/1.owner: leads to Owner/9, which does not exist (allowed: the delete rule of"
                    + " Owner.parts is noAction)",
            ], "\(run.text)")
        #expect(run.errorText.contains("3 problems in 5 objects"), "\(run.errorText)")
    }

    /// These engines have a checksum of the whole file.
    @Test(arguments: [StoreType.xml, .binary])
    func `has an exit code of its own for a damaged file`(_ type: StoreType) throws {
        let url = try store(type, [("Item", 1, [("owner", "Owner", 9)])])
        let broken = try ToolRun(["store", "verify", url.path])
        var bytes = try Data(contentsOf: url)
        bytes[bytes.count - 20] ^= 0x20
        try bytes.write(to: url)

        let damaged = try ToolRun(["store", "verify", url.path])
        let missing = try ToolRun(["store", "verify", url.path + "-missing"])

        #expect(broken.exitCode == 3, "\(broken.text)\(broken.errorText)")
        #expect(damaged.exitCode == 5, "\(damaged.text)\(damaged.errorText)")
        #expect(missing.exitCode == 1)
    }

    @Test(arguments: everyFileEngine)
    func `succeeds if all broken references are allowed`(_ type: StoreType) throws {
        let url = try store(type, [("Part", 1, [("owner", "Owner", 9)])])
        let page = folder.file("page.html")

        let run = try ToolRun(["store", "verify", url.path])
        let limited = try ToolRun(["store", "verify", url.path, "--limit", "0"])
        let report = try ToolRun(["store", "report", url.path, "--html", page.path])

        let total =
            "sound: 1 object, 1 reference; 1 of the references lead to no object, as allowed\n"
        #expect(run.exitCode == 0, "\(run.text)\(run.errorText)")
        #expect(
            run.text
                == "Part/1.owner: leads to Owner/9, which does not exist (allowed: the delete rule of"
                + " Owner.parts is noAction)\n" + total)
        #expect(limited.text == total)
        #expect(report.exitCode == 0, "\(report.errorText)")
        #expect(
            try String(contentsOf: page, encoding: .utf8).contains("1 of the references lead"))
    }
}
