import Foundation
import TortureShim

/// A fault that affects one of a process's mutating calls.
struct Fault: Codable, Sendable, Hashable {
    /// The kind of a fault. To add a kind, add a case here and a line in ``orders``.
    enum Kind: String, Codable, Sendable, CaseIterable {
        /// The process is killed instead of making the call.
        case kill
        /// The first pages of a write are written, and then the process is killed.
        case tear
        /// The power is cut instead of making the call: the file system loses all data that was not
        /// synchronized.
        case cut
        /// The process stops before the call until the harness lets it continue.
        case stop
        case ioError = "EIO"
        case noSpace = "ENOSPC"
        /// Fails like a full disk: calls that need no space, such as removing files, succeed.
        case full
        /// Half of the bytes are written, and the call returns their number.
        case short
        /// `fsync` and its relatives fail with `EIO`.
        case syncError = "fsync-EIO"

        fileprivate var orders: (deed: torture_deed, error: Int32, kinds: UInt32) {
            let every = UInt32.max
            let sync = TORTURE_SYNC.rawValue
            let failing = every & ~(sync | TORTURE_REOPEN.rawValue)
            return switch self {
            case .kill: (TORTURE_KILL, 0, every)
            case .tear: (TORTURE_TEAR, 0, TORTURE_SPAN.rawValue)
            case .cut: (TORTURE_CUT, 0, every)
            case .stop: (TORTURE_STOP, 0, every)
            case .ioError: (TORTURE_FAIL, EIO, failing)
            case .noSpace: (TORTURE_FAIL, ENOSPC, failing)
            case .full: (TORTURE_FAIL, ENOSPC, failing & ~TORTURE_REMOVE.rawValue)
            case .short: (TORTURE_SHORTEN, 0, TORTURE_WRITE.rawValue)
            case .syncError: (TORTURE_FAIL, EIO, sync)
            }
        }

        /// Whether the process ends with the fault.
        var kills: Bool { [.kill, .tear, .cut].contains(self) }

        /// Returns whether the fault can affect a call, according to its kind in the library's trace.
        func concerns(_ call: TracedCall) -> Bool { orders.kinds & call.kind != 0 }
    }

    var kind: Kind
    /// The number of the call, starting at 1.
    var at: Int
    /// Whether the fault persists for all later calls.
    var isSticky = false

    /// Makes the library count the calls on files of a folder from now on, and apply the fault to them.
    ///
    /// If a planted defect concerns system calls, the library makes the mistake.
    static func arm(_ fault: Fault?, folder: String, trace: String? = nil) throws {
        let mistakes = PlantedDefect.current?.mistakes ?? 0
        let done = folder.withCString { folder in
            func obey(_ trace: UnsafePointer<CChar>?) -> Bool {
                var orders = torture_orders()
                (orders.folder, orders.trace, orders.mistakes) = (folder, trace, mistakes)
                if let fault {
                    let what = fault.kind.orders
                    orders.deed = Int32(what.deed.rawValue)
                    (orders.error, orders.kinds) = (what.error, what.kinds)
                    (orders.at, orders.is_sticky) = (fault.at, fault.isSticky)
                }
                return torture_obey(&orders)
            }
            return trace.map { $0.withCString { obey($0) } } ?? obey(nil)
        }
        if !done { throw HarnessFailure("the library for faults is not loaded") }
    }
}

/// The description, such as `EIO*@37`: an error at the 37th call and at all later calls.
extension Fault: CustomStringConvertible {
    var description: String { "\(kind.rawValue)\(isSticky ? "*" : "")@\(at)" }
}

/// A line of the library's trace.
struct TracedCall: Sendable {
    var kind: UInt32
    var name: String
    /// The path, relative to the store's folder.
    var path: String

    /// Parses a trace.
    static func all(_ text: String) -> [TracedCall] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count >= 2, let kind = UInt32(words[0]) else { return nil }
            return TracedCall(
                kind: kind, name: String(words[1]), path: words.count > 2 ? String(words[2]) : "")
        }
    }
}
