import Foundation

/// Events of the files of some folders, as the system reports them, whichever process causes them.
///
/// A folder is watched, not a file: a file that is replaced goes on being watched under its name. No
/// file is opened, so no POSIX lock of a library is released.
///
/// Events may be missing: those of other machines on a network file system, those of memory that is
/// mapped, and those of a folder that was moved away. So use them to look earlier, not instead of
/// looking. Not safe from several threads.
package final class FolderEvents {
    /// What happened.
    package enum Event: Hashable {
        /// A file was written to, created, renamed or removed. `folder` is what ``watch(_:)`` returned.
        case changed(folder: Int32, name: String)
        /// There were more events than the system keeps: anything may have happened.
        case lost
    }

    /// Can be read when there are events.
    package let descriptor: Int32

    #if os(Linux)
    /// Returns `nil` if the user or the process may have no more watchers, or the system has none.
    package init?() {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    private static let mask =
        UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
        | UInt32(IN_ONLYDIR)

    /// Watches a folder, and returns its number. Returns `nil` if there is no such folder, or it cannot
    /// be watched.
    ///
    /// The number is the same for every name of a folder that is watched already. Watching a folder
    /// again under its path finds out whether it is another folder by now.
    package func watch(_ folder: String) -> Int32? {
        let number = inotify_add_watch(descriptor, folder, Self.mask)
        return number < 0 ? nil : number
    }

    /// Stops watching a folder. Has no effect if the folder is gone.
    package func stopWatching(_ folder: Int32) { inotify_rm_watch(descriptor, folder) }

    /// Returns the events that have come since the last call, without waiting.
    package func read() -> Set<Event> {
        var events: Set<Event> = []
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                Self.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: &events)
            }
        }
        return events
    }

    private static func add(_ bytes: UnsafeRawBufferPointer, to events: inout Set<Event>) {
        // As inotify(7) has it: a header, then a name that is filled up with zeros.
        let headerLength = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + headerLength <= bytes.count {
            let header = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + headerLength + Int(header.len)
            guard end <= bytes.count else { return }
            if header.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                events.insert(.lost)
            } else if header.mask & mask != 0 {
                let name = bytes[offset + headerLength..<end].prefix { $0 != 0 }
                events.insert(
                    .changed(folder: header.wd, name: String(decoding: name, as: UTF8.self)))
            }
            offset = end
        }
    }
    #else
    /// Returns `nil`: the system does not tell.
    package init?() { return nil }

    /// Returns `nil`.
    package func watch(_ folder: String) -> Int32? { nil }

    /// Does nothing.
    package func stopWatching(_ folder: Int32) {}

    /// Returns no events.
    package func read() -> Set<Event> { [] }
    #endif
}
