import Cairn
import CairnProcesses
import Foundation

/// Whether the library for faults sees every call that strace sees: a call that it misses is never
/// failed, and nobody would notice.
struct ShimCheck {
    private let engine: StoreType
    /// How often each call was seen by the library, and by strace.
    private let seen: [String: Int]
    private let real: [String: Int]

    static let tracer = "/usr/bin/strace"
    static var canRun: Bool { FileManager.default.isExecutableFile(atPath: tracer) }

    /// Every call that changes a file, with the name that the library gives it.
    private static let names: [String: String] = [
        "open": "open", "openat": "open", "openat2": "open", "creat": "open", "mkdir": "mkdir",
        "mkdirat": "mkdir", "symlink": "symlink", "symlinkat": "symlink", "rename": "rename",
        "renameat": "rename", "renameat2": "rename", "link": "link", "linkat": "link",
        "unlink": "unlink", "unlinkat": "unlink", "rmdir": "unlink", "truncate": "truncate",
        "ftruncate": "truncate", "fallocate": "fallocate", "chmod": "chmod", "fchmod": "chmod",
        "fchmodat": "chmod", "chown": "chown", "fchown": "chown", "fchownat": "chown",
        "fsync": "sync", "fdatasync": "sync", "syncfs": "sync", "sync_file_range": "sync",
        "write": "write", "pwrite64": "write", "writev": "write", "pwritev": "write",
        "pwritev2": "write", "copy_file_range": "write", "sendfile": "write",
        "utimensat": "utimens", "setxattr": "xattr", "fsetxattr": "xattr", "mknodat": "mknod",
        "io_uring_setup": "io_uring",
    ]

    var callCount: Int { real.values.reduce(0, +) }

    /// Runs the workload under both.
    init(_ engine: StoreType, _ settings: Settings, folder: String) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder + "/store", withIntermediateDirectories: true)
        var assignment = WritingAssignment.standard(settings.subject(engine, folder + "/store"))
        assignment.trace = folder + "/trace"
        let process = try ChildProcess(
            Self.tracer,
            [
                "-f", "-y", "-qq", "-e", "signal=none", "-o", folder + "/strace",
                "-e", "trace=\(Self.names.keys.sorted().map { "?\($0)" }.joined(separator: ","))",
                "-E", "LD_PRELOAD=\(settings.shim)",
                CommandLine.arguments[0], "perform", Assignment.write(assignment).line,
            ], errorOutput: .kept)
        let said = String(decoding: try process.output(), as: UTF8.self)
        guard try process.end() == .code(0), said.contains("saved \(assignment.lastStep)") else {
            throw HarnessFailure("strace: \(said.suffix(300)) \(process.errorText.suffix(300))")
        }
        func text(_ name: String) -> String {
            String(decoding: files.contents(atPath: folder + "/" + name) ?? Data(), as: UTF8.self)
        }
        self.engine = engine
        seen = Self.counts(TracedCall.all(text("trace")).map(\.name))
        real = Self.counts(Self.calls(text("strace"), below: folder + "/store"))
    }

    /// Returns what one of the two sees and the other does not.
    ///
    /// - Parameter name: a call that the library is taken not to see.
    func differences(blindTo name: String? = nil) -> [String] {
        Set(seen.keys).union(real.keys).sorted().compactMap { call in
            let (mine, theirs) = (call == name ? 0 : seen[call] ?? 0, real[call] ?? 0)
            // A mapping has no path in strace's output; the library counts msync all the same.
            return mine == theirs || call == "msync"
                ? nil : "\(engine.rawValue): \(theirs) calls of \(call), of which \(mine) are seen"
        }
    }

    private static func counts(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// The calls of a trace by strace that change a file below a folder.
    static func calls(_ trace: String, below folder: String) -> [String] {
        trace.split(separator: "\n").compactMap { line in
            guard ["/", ">", "\""].contains(where: { line.contains(folder + $0) }),
                !line.contains(" resumed>"),
                let call = line.drop(while: { !$0.isLetter }).split(separator: "(").first,
                let name = names[String(call)]
            else { return nil }
            let opens = name == "open" && call != "creat"
            return opens && !line.contains("O_CREAT") && !line.contains("O_TRUNC") ? nil : name
        }
    }
}
