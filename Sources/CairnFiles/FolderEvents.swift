import Foundation

/// Events of the files in some folders, as the system reports them, caused by any process.
///
/// Folders are watched instead of files, so that a file that is replaced continues to be watched
/// under its name. No file is opened, so no POSIX locks of a library are released.
///
/// Some events are not reported: changes by other machines on a network file system, changes
/// through mapped memory, and changes in a folder that was moved away. Therefore use events to look
/// earlier, not instead of looking. This type is not safe to use from several threads.
package final class FolderEvents {
    /// A reported event.
    package enum Event: Hashable {
        /// A file was written to, created, renamed or removed. `folder` is the number that
        /// ``watch(_:)`` returned.
        case changed(folder: Int32, name: String)
        /// There were more events than the system stores, so anything may have happened.
        case lost
    }

    /// A descriptor that becomes readable when there are events.
    package let descriptor: Int32

    #if os(Linux)
    /// Returns `nil` if the user or the process cannot have more watchers, or if the system does
    /// not support them.
    package init?() {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    private static let mask =
        UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
        | UInt32(IN_ONLYDIR)

    /// Watches a folder and returns its number. Returns `nil` if the folder does not exist or
    /// cannot be watched.
    ///
    /// If the folder is already watched, the number is the same for all of its names. Watching a
    /// path again reveals whether it leads to another folder now.
    package func watch(_ folder: String) -> Int32? {
        let number = inotify_add_watch(descriptor, folder, Self.mask)
        return number < 0 ? nil : number
    }

    /// Stops watching a folder. Has no effect if the folder was removed.
    package func stopWatching(_ folder: Int32) { inotify_rm_watch(descriptor, folder) }

    /// Returns the events that have occurred since the last call. Does not wait.
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
        // The format is described in inotify(7): a header, followed by a name that is padded with
        // zero bytes.
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
    /// Returns `nil`, because the system does not report events.
    package init?() { return nil }

    /// Returns `nil`.
    package func watch(_ folder: String) -> Int32? { nil }

    /// Does nothing.
    package func stopWatching(_ folder: Int32) {}

    /// Returns no events.
    package func read() -> Set<Event> { [] }
    #endif
}
