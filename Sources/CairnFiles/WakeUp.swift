import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// Wakes a thread that waits for descriptors.
package final class WakeUp: Sendable {
    private let reader: Int32
    /// Equal to `reader` if the system has event descriptors (`eventfd`).
    private let writer: Int32

    /// Returns `nil` if the process cannot have more descriptors.
    package init?() {
        #if os(Linux)
        reader = eventfd(0, O_CLOEXEC | O_NONBLOCK)
        writer = reader
        guard reader >= 0 else { return nil }
        #else
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (reader, writer) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        #endif
    }

    deinit {
        close(reader)
        if writer != reader { close(writer) }
    }

    /// Ends the current wait of the thread, or its next one.
    package func signal() {
        // A counter that cannot increase any more has not been read, so the thread is already being
        // woken.
        var one: UInt64 = 1
        _ = write(writer, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits until ``signal()`` is called, until the other descriptor becomes readable, or until
    /// the time has passed.
    ///
    /// - Parameters:
    ///   - other: another descriptor that ends the wait, or `nil`.
    ///   - time: the maximum time to wait. If `nil`, the wait has no limit.
    package func wait(orFor other: Int32?, atMost time: Duration?) {
        Self.wait(for: [reader] + (other.map { [$0] } ?? []), atMost: time)
        var count: UInt64 = 0
        while read(reader, &count, MemoryLayout<UInt64>.size) > 0, writer != reader {}
    }

    /// Waits until one of the descriptors becomes readable, or until the time has passed.
    package static func wait(for descriptors: [Int32], atMost time: Duration?) {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // Round up, because a wait that ends too early would be repeated without a pause.
        let milliseconds = time.map { max(0, ($0 + .microseconds(999)) / .milliseconds(1)) } ?? -1
        _ = poll(&polled, nfds_t(polled.count), Int32(clamping: Int(milliseconds)))
    }
}
