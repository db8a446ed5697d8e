import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Tests a model without entities, which Xcode can create and Core Data accepts.
@Suite struct `An empty model` {
    @Test func `can be shown`() throws {
        let folder = try TemporaryFolder()
        let model = folder.file("Empty.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data("<?xml version=\"1.0\"?><model type=\"x\"></model>".utf8)
            .write(to: model.appending(path: "contents"))

        let run = try ToolRun(["model", "info", model.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
    }

    @Test(arguments: everyFileEngine.map(\.rawValue))
    func `creates a store that can be opened, copied and verified`(_ type: String) throws {
        let folder = try TemporaryFolder()
        let (store, copy) = (folder.file("empty"), folder.file("copy"))
        let model = try ManagedObjectModel([])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(
            ofType: StoreType(rawValue: type), at: store)
        try coordinator.remove(added)

        let copied = try ToolRun(["store", "copy", store.path, copy.path, "--type", type])
        let runs = try ["info", "dump", "verify"].map { try ToolRun(["store", $0, copy.path]) }

        #expect(copied.exitCode == 0, "\(copied.errorText)")
        for run in runs { #expect(run.exitCode == 0, "\(run.errorText)") }
    }
}
