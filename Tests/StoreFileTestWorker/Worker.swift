import Cairn
import Foundation
import StoreFileSupport

/// What tests of stores' files run as another process.
///
///     hold TYPE PATH                              opens a store, says so, and waits to be killed
///     rename TYPE PATH TITLE                      gives every picture of a store that title, and saves
///     lock PATH                                   says whether SQLite could read the file now
///     damage SUBJECT SAMPLES SEED FIRST COUNT DIR reads COUNT damaged files, from number FIRST on
///     take memory|time                            goes on until a bound ends it
@main struct Worker {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "hold" where arguments.count == 4:
            try hold(StoreType(arguments[2]), URL(fileURLWithPath: arguments[3]))
        case "rename" where arguments.count == 5:
            try rename(
                StoreType(arguments[2]), URL(fileURLWithPath: arguments[3]), to: arguments[4])
        case "lock" where arguments.count == 3: say(isLocked(arguments[2]) ? "locked" : "free")
        case "damage" where arguments.count == 8:
            guard let subject = DamageSubject(rawValue: arguments[2]),
                let seed = UInt64(arguments[4]), let first = Int(arguments[5]),
                let count = Int(arguments[6])
            else { exit(2) }
            try DamagedReading(
                subject, samples: URL(fileURLWithPath: arguments[3]), seed: seed,
                folder: URL(fileURLWithPath: arguments[7])
            ).run(first..<first + count)
        case "take" where arguments.count == 3:
            arguments[2] == "memory" ? ProcessBounds.takeMemory() : ProcessBounds.takeTime()
        default: exit(2)
        }
    }

    private static func hold(_ type: StoreType, _ file: URL) throws {
        let store = try PictureModel.registry.engine(ofType: type)
            .open(OpenRequest(location: .file(file), model: try PictureModel.make()))
        let snapshot = try store.snapshot()
        say("open")
        withExtendedLifetime((store, snapshot)) { while true { pause() } }
    }

    /// Whether another process keeps SQLite from its lock for reading, which is on the bytes behind
    /// 1 GiB (os_unix.c).
    private static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR)
        guard descriptor >= 0 else { exit(3) }
        defer { close(descriptor) }
        var range = flock()
        range.l_type = Int16(F_RDLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(0x4000_0000)
        range.l_len = off_t(512)
        return fcntl(descriptor, F_SETLK, &range) != 0
    }

    private static func rename(_ type: StoreType, _ file: URL, to title: String) throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try PictureModel.make(), registry: PictureModel.registry)
        try coordinator.addPersistentStore(ofType: type, at: file)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for picture in try context.fetch(FetchRequest<ManagedObject>("Picture")) {
                try picture.setValue(title, forKey: "title")
            }
            try context.insertNewObject(forEntityName: "Picture").setValue(title, forKey: "title")
            try context.save()
        }
    }

    /// At once, so that what was said last is known when the process ends by a signal.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
