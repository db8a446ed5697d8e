internal import CairnThreads
internal import Dispatch
internal import Observation
internal import Synchronization

#if os(Linux)
internal import CairnCLinux
#endif

/// The thread-local variable in which Observation keeps what a thread tracks. It is 0 unless the thread is in
/// `withObservationTracking`.
///
/// Observation has no call that tells whether a thread tracks accesses, and asking a registrar costs as much as reading
/// several values. The variables of the libraries that a program is started with are at the same offsets from each thread's
/// own memory. So the variable is found once, as the only one that changes when a thread begins to track.
enum TrackingWord {
    /// The offset of the variable from the number of a thread, in bytes. 0 if it was not found: each read then asks a
    /// ``TrackingProbe``.
    static let offset = Int32(exactly: found ?? 0) ?? 0

    #if os(Linux)
    private static var found: Int? {
        let here = variables().map(\.offset)
        let onNewThread = Mutex<[Int]>([])
        let end = DispatchSemaphore(value: 0)
        NamedThread.start("tracking") {
            // This thread never tracked anything before.
            let before = variables()
            let inside = withObservationTracking {
                variables()
            } onChange: {
            }
            let changed = zip(zip(before, inside), variables()).filter { first, after in
                let (before, inside) = first
                return before.content == 0 && inside.content != 0 && after.content == 0
                    && before.offset == inside.offset && before.offset == after.offset
            }
            onNewThread.withLock { $0 = changed.map(\.1.offset) }
            end.signal()
        }
        // Once in a process, for a thread of our own that waits for nobody.
        end.wait()
        // Libraries that were loaded later have their variables somewhere else in each thread.
        let offsets = onNewThread.withLock(\.self).filter(here.contains)
        guard offsets.count == 1, let offset = offsets.first, isRight(offset) else { return nil }
        return offset
    }

    /// The words of the running thread's variables.
    private static func variables() -> [(offset: Int, content: UInt)] {
        let capacity = 256
        let wordSize = MemoryLayout<UInt>.size
        return withUnsafeTemporaryAllocation(of: cairn_thread_area.self, capacity: capacity) {
            let count = cairn_find_thread_areas($0.baseAddress, capacity)
            return $0.prefix(count).flatMap { area in
                // The variable is aligned as a pointer is, and so is the area that contains it.
                stride(from: 0, through: area.byte_count - wordSize, by: wordSize).map {
                    (area.offset + $0, word(at: area.offset + $0))
                }
            }
        }
    }

    private static func word(at offset: Int) -> UInt {
        UnsafeRawPointer(bitPattern: UInt(cairn_thread_number()) &+ UInt(bitPattern: offset))?
            .loadUnaligned(as: UInt.self) ?? 0
    }

    /// Returns whether the variable at an offset and a probe agree on whether this thread tracks.
    private static func isRight(_ offset: Int) -> Bool {
        let probe = TrackingProbe()
        let outside = cairn_thread_word_is_set(offset) == probe.isTracking()
        return outside
            && withObservationTracking {
                cairn_thread_word_is_set(offset)
            } onChange: {
            }
    }
    #else
    private static var found: Int? { nil }
    #endif
}
