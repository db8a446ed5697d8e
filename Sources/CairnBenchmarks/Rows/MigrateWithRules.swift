import Cairn
import Foundation

/// Migrating a store by a mapping model, by a policy, and by code for each object.
struct MigrateWithRules: Workload {
    let name = "migrate-rules"
    let title = "migrate a store by a mapping model or code"
    let about = About(
        goal: "≤ 3 of an inferred migration by copy",
        heldFixed: """
            all items and folders of a store, and the same new model with one more attribute of items; the \
            new store is checked, and gets the name of the old one
            """,
        varied: """
            an inferred migration; a mapping model with an expression for each property, of which one \
            follows a relationship; the same mapping with a policy that sets the new attribute; an inferred \
            migration with code that sets the new attribute
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isFile else {
            return .notApplicable(because: "only stores that are files can be migrated")
        }
        let old = try ReferenceModel.model.get()
        let new = try ReferenceModel.withRemark.get()
        var history = ModelHistory(
            versions: [.init(name: "1", model: old), .init(name: "2", model: new)])
        let inferred = history
        history.migrate("Item", to: new) { old, new in
            try new.setValue(old.value(forKey: "code"), forKey: "remark")
        }
        let coded = history
        func mapped(_ policy: String?) throws -> ModelHistory {
            var history = inferred
            history.add(try Self.mapping(policy), named: "Items", from: old, to: new)
            history.register(RemarkPolicy.self, as: "RemarkPolicy")
            return history
        }
        return .contests([
            Contest(
                unit: "object", durability: setting.engine.durability,
                [
                    contender("Cairn, inferred", .baseline, inferred, setting),
                    contender("Cairn, mapped", .ours, try mapped(nil), setting),
                    contender("Cairn, by a policy", .ours, try mapped("RemarkPolicy"), setting),
                    contender("Cairn, by code", .ours, coded, setting),
                ])
        ])
    }

    private func contender(
        _ name: String, _ role: Contender.Role, _ history: ModelHistory, _ setting: Setting
    ) -> Contender {
        Contender(name, role, goal: role == .ours ? .ratio(3) : nil) {
            let model = try ReferenceModel.withRemark.get()
            let store = try setting.shelf.fresh(copying: try setting.itemsURL())
            defer { setting.shelf.discard(store) }
            let manager = MigrationManager(
                destinationModel: model, history: history, usesStoreSpecificMigrationManager: false)
            // Makes sure that the copied file is on the medium before time is measured.
            sync()
            var watch = Stopwatch()
            try watch.time { _ = try manager.migrateStore(at: store, ofType: setting.engine) }
            let stack = try setting.shelf.open(setting.engine, at: store, model: model)
            let checksum = try stack.inContext { try Self.checksum(in: $0) }
            try stack.close()
            return Sample(
                watch, operations: setting.size, checksum: checksum,
                fileBytes: setting.shelf.byteCount(of: store))
        }
    }

    /// Returns the checksum of all items, without their keys and versions, which depend on how they were made.
    private static func checksum(in context: ManagedObjectContext) throws -> UInt64 {
        var request = FetchRequest<Item>()
        request.sortDescriptors = [FetchSortDescriptor("number")]
        let items: [Item] = try context.fetch(request)
        var checksum = RowChecksum(
            items.lazy.map { item in
                item.itemValues.digest(key: 0, folder: item.folder?.objectID.key ?? 0, version: 0)
            })
        checksum.add(UInt64(items.count))
        return checksum.value
    }

    private static func mapping(_ policy: String?) throws -> MappingModel {
        func values(_ names: [String]) throws -> [PropertyMapping] {
            try names.map { PropertyMapping($0, try FetchExpression(format: "$source.\($0)")) }
        }
        let names = [
            "active", "category", "code", "created", "name", "note", "number", "price", "rating",
            "title",
        ]
        let folder = try FetchExpression(
            format: """
                FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", \
                "Folders", $source.folder)
                """)
        let remark = PropertyMapping(
            "remark",
            policy == nil ? try FetchExpression(format: "$source.folder.name") : nil)
        return MappingModel([
            EntityMapping(
                "Folders", from: "Folder", to: "Folder", attributes: try values(["name"])),
            EntityMapping(
                "Items", from: "Item", to: "Item", attributes: try values(names) + [remark],
                relationships: [PropertyMapping("folder", folder)], policy: policy),
        ])
    }
}

/// Sets the new attribute of items.
private final class RemarkPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [source])
        let code = try source.value(forKey: "code")
        for item in made { try item.setValue(code, forKey: "remark") }
    }
}
