import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Stores that cannot be added next to other stores. Each is refused with a typed error, and nothing changes.
@Suite struct `A store beside others` {
    /// Returns a coordinator with one store at “items0.store”, with content.
    private func stack(_ type: StoreType) throws -> SeveralStack {
        let stack = try SeveralStack([type])
        try stack.fill()
        return stack
    }

    private func add(
        _ url: URL, to stack: SeveralStack, _ configuration: String? = nil,
        options: StoreOptions = [:]
    ) throws -> GraphError? {
        try graphError {
            try stack.coordinator.addPersistentStore(
                ofType: stack.types[0], configurationName: configuration, at: url,
                options: options)
        }
    }

    private func expectUnchanged(_ stack: SeveralStack) throws {
        #expect(stack.coordinator.persistentStores.map(\.number) == stack.stores.map(\.number))
        #expect(try stack.items() == ["0=1"])
    }

    @Test(arguments: everyFileEngine)
    func `with the identifier of another one is refused, with both names`(
        _ type: StoreType
    ) throws {
        let stack = try stack(type)
        try stack.close()
        let copy = stack.folder.file("copy.store")
        let again = try SeveralStack([type], in: stack.folder)
        try again.coordinator.remove(again.stores[0])
        try again.coordinator.replacePersistentStore(
            at: copy, withPersistentStoreFrom: again.url(0), type: type)
        let present = try SeveralStack([type], in: stack.folder)

        let error = try add(copy, to: present)

        guard case .storeIdentifierTaken(_, let holder, let refused)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(holder == present.stores[0].request.location)
        #expect(refused.fileURL?.lastPathComponent == "copy.store")
        try expectUnchanged(present)
        // The copy can still be used without the original.
        try present.close()
        #expect(try add(copy, to: present) == nil)
        #expect(try present.items() == ["0=1"])
    }

    @Test(arguments: everyFileEngine)
    func `is refused under another way of writing its path`(_ type: StoreType) throws {
        let stack = try stack(type)
        let url = try stack.url(0)
        let folder = url.deletingLastPathComponent()
        let link = folder.appending(path: "link.store")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        let folderLink = folder.appending(path: "linked")
        try FileManager.default.createSymbolicLink(at: folderLink, withDestinationURL: folder)
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let up = String(repeating: "../", count: depth)
        let ways = [
            url, link, folderLink.appending(path: url.lastPathComponent),
            URL(fileURLWithPath: folder.path + "/./none/../" + url.lastPathComponent),
            URL(fileURLWithPath: up + url.path.dropFirst()),
        ]

        for way in ways {
            let error = try add(way, to: stack)
            guard case .storeAlreadyAdded? = error else {
                Issue.record("\(way): \(error as Any)")
                continue
            }
        }

        try expectUnchanged(stack)
    }

    @Test(arguments: everyFileEngine)
    func `is refused under a hard link to its file`(_ type: StoreType) throws {
        let stack = try stack(type)
        let name = stack.folder.file("name.store")
        try FileManager.default.linkItem(at: stack.url(0), to: name)

        for options: StoreOptions in [[:], [.readOnly: true]] {
            let error = try add(name, to: stack, options: options)
            guard case .storeAlreadyAdded? = error else {
                Issue.record("\(options): \(error as Any)")
                continue
            }
        }

        try FileManager.default.removeItem(at: name)
        try expectUnchanged(stack)
        try stack.inContext { context in
            try context.setAll(1)
            try context.save()
        }
    }

    @Test(arguments: everyFileEngine)
    func `of a configuration that the model does not have is refused, and not created`(
        _ type: StoreType
    ) throws {
        let stack = try stack(type)
        let url = stack.folder.file("new.store")

        let error = try add(url, to: stack, "Kitchen")

        guard case .model(.unknownConfiguration("Kitchen", _))? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try expectUnchanged(stack)
    }
}
