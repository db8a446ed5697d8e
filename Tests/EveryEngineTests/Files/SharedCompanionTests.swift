import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Stores that several users of the system may write. These tests need root, and otherwise only print that they
/// did not run.
@Suite(.serialized) struct `A store that several users may write` {
    private static let group: gid_t = 4242
    private static let users: [uid_t] = [65533, 65534]

    /// Creates a store, closed, that members of the group may write.
    private func shared(_ type: StoreType) throws -> (FileStack, URL) {
        let (stack, url) = try closed(type)
        try? FileManager.default.removeItem(at: stack.url("store-lock"))
        for name in [""] + (try stack.files()) {
            let path = name.isEmpty ? stack.folder.url.path : stack.url(name).path
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(chown(path, 0, Self.group) == 0)
            #expect(chmod(path, status.st_mode & S_IFMT == S_IFDIR ? 0o770 : 0o660) == 0)
        }
        return (stack, url)
    }

    /// Lets a user add a picture. Returns the process, which still has the store open, and its answer.
    private func add(
        _ title: String, _ stack: FileStack, _ url: URL, as user: uid_t,
        in group: gid_t = Self.group
    ) throws -> (WorkerProcess, String) {
        let worker = try WorkerProcess(
            "pictures", "add", stack.type.rawValue, url.path, title, "\(user)", "\(group)")
        return (worker, worker.line() ?? "ended")
    }

    private func isRunnable() -> Bool {
        if geteuid() == 0 { return true }
        print("Stores that several users may write: not run, because that needs root")
        return false
    }

    @Test(arguments: everyFileEngine)
    func `is saved to by each of them while the others have it open`(_ type: StoreType) throws {
        guard isRunnable() else { return }
        let (stack, url) = try shared(type)
        // This process is root, and saves first.
        let coordinator = stack.coordinator()
        let store = try coordinator.addPersistentStore(ofType: type, at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let picture = try context.insertNewObject(forEntityName: "Picture")
            try picture.setValue("root", forKey: "title")
            try picture.setValue(FileStack.pixels("root"), forKey: "pixels")
            try context.save()
        }

        let (first, answer) = try add("a", stack, url, as: Self.users[0])
        let (second, other) = try add("b", stack, url, as: Self.users[1])
        let (third, again) = try add("c", stack, url, as: Self.users[0])
        for worker in [first, second, third] { worker.killNow() }
        try coordinator.remove(store)

        #expect([answer, other, again] == ["saved", "saved", "saved"])
        #expect(try stack.titles(url) == ["a", "b", "c", "dawn", "root"])
    }

    @Test(arguments: everyFileEngine)
    func `is saved to by each of them without root, who left nothing behind`(
        _ type: StoreType
    ) throws {
        guard isRunnable() else { return }
        let (stack, url) = try shared(type)

        let (first, answer) = try add("a", stack, url, as: Self.users[0])
        let (second, other) = try add("b", stack, url, as: Self.users[1])
        first.killNow()
        second.killNow()
        // The log of the killed processes is still there.
        let (third, again) = try add("c", stack, url, as: Self.users[1])
        third.killNow()

        #expect([answer, other, again] == ["saved", "saved", "saved"])
        #expect(try stack.titles(url) == ["a", "b", "c", "dawn"])
    }

    @Test(arguments: everyFileEngine)
    func `gives its files only to those who may use it`(_ type: StoreType) throws {
        guard isRunnable() else { return }
        let (stack, url) = try shared(type)

        let (worker, answer) = try add("a", stack, url, as: Self.users[0])
        var found: [String: String] = [:]
        for name in try stack.files() {
            var status = stat()
            #expect(lstat(stack.url(name).path, &status) == 0)
            let mode = String(status.st_mode & 0o777, radix: 8)
            found[name] = "\(mode) \(status.st_gid)"
        }
        worker.killNow()

        #expect(answer == "saved")
        for (name, access) in found {
            let isFolder = name.hasSuffix("_SUPPORT") || name.hasSuffix("_EXTERNAL_DATA")
            #expect(access == "\(isFolder ? "770" : "660") \(Self.group)", "\(name)")
        }
    }

    @Test(arguments: everyFileEngine)
    func `names the file that another user keeps from it`(_ type: StoreType) throws {
        guard isRunnable() else { return }
        for (name, mode) in [("store-lock", mode_t(0o600)), ("store", 0o640)] {
            let (stack, url) = try shared(type)
            try Data().write(to: stack.url("store-lock"))
            #expect(chmod(stack.url("store-lock").path, 0o600) == 0)
            #expect(chmod(stack.url(name).path, mode) == 0)

            let (worker, answer) = try add("a", stack, url, as: Self.users[0])
            worker.killNow()

            if name == "store" {
                #expect(answer.contains("is read-only"), "\(answer)")
            } else {
                #expect(answer.contains("store-lock"), "\(answer)")
                #expect(!answer.contains("is read-only"), "\(answer)")
            }
        }
    }

    @Test(arguments: everyFileEngine, ["migrated", "replaced", "replaced by a copy"])
    func `keeps its mode and group when its file is replaced`(
        _ type: StoreType, _ way: String
    ) throws {
        let (stack, url) = try (geteuid() == 0 ? shared(type) : closed(type))
        #expect(chmod(url.path, 0o664) == 0)
        var (before, after) = (stat(), stat())
        #expect(stat(url.path, &before) == 0)
        let newer = try ManagedObjectModel([
            EntityDescription(
                "Picture", [.attribute("title", .string), .attribute("note", .string)])
        ])

        switch way {
        case "migrated":
            try MigrationManager(
                sourceModel: stack.model, destinationModel: newer,
                usesStoreSpecificMigrationManager: false, registry: FileStack.registry
            ).migrateStore(at: url, ofType: type)
        case "replaced":
            let source = try stack.make("noon", at: "other")
            _ = try stack.titles(source)
            try stack.coordinator().replacePersistentStore(
                at: url, withPersistentStoreFrom: source, type: type)
        default:
            let coordinator = stack.coordinator()
            let source = try coordinator.addPersistentStore(
                ofType: type, at: try stack.make("noon", at: "other"))
            let engine = try FileStack.registry.fileEngine(ofType: type, for: .file(url))
            try StoreCopier(to: engine, replacing: engine).copy(source, to: url)
            try coordinator.remove(source)
        }

        #expect(stat(url.path, &after) == 0)
        #expect(after.st_mode == before.st_mode)
        #expect(after.st_uid == before.st_uid)
        #expect(after.st_gid == before.st_gid)
    }

    private func closed(_ type: StoreType) throws -> (FileStack, URL) {
        let stack = try FileStack(type)
        let url = try stack.make("dawn", at: "store")
        _ = try stack.titles(url)
        return (stack, url)
    }

    @Test func `is not written to if the log belongs to another user, who is named`() throws {
        guard isRunnable() else { return }
        for suffix in ["-wal", "-shm"] {
            let (stack, url) = try shared(.sqlite)
            let (worker, _) = try add("a", stack, url, as: Self.users[0])
            worker.killNow()
            #expect(chmod(url.path + suffix, 0o600) == 0)

            let (other, answer) = try add("b", stack, url, as: Self.users[1])
            other.killNow()

            #expect(answer.contains("store\(suffix)"), "\(answer)")
        }
    }
}
