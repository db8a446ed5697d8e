import Foundation

/// Reports whether another process keeps SQLite from taking its lock for reading, which covers the bytes
/// after the first GiB (os_unix.c).
///
///     sqlite-lock PATH    prints “locked” or “free”
enum SQLiteLock {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 1 else { throw WrongArguments(arguments) }
        TestWorker.say(try isTaken(arguments[0]) ? "locked" : "free")
    }

    private static func isTaken(_ path: String) throws -> Bool {
        let descriptor = open(path, O_RDWR)
        guard descriptor >= 0 else { throw Missing(what: path) }
        defer { close(descriptor) }
        var range = flock()
        range.l_type = Int16(F_RDLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(0x4000_0000)
        range.l_len = off_t(512)
        return fcntl(descriptor, F_SETLK, &range) != 0
    }
}
