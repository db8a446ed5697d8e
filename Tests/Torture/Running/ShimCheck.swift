import Cairn
import CairnProcesses
import Foundation

/// Checks whether the fault library sees every call that strace sees. A call that it misses would silently
/// never fail.
struct ShimCheck {
    private let name: String
    /// How often the library saw each call, and how often strace did.
    private let seen: [String: Int]
    private let real: [String: Int]

    static let tracer = "/usr/bin/strace"
    static var canRun: Bool { FileManager.default.isExecutableFile(atPath: tracer) }

    /// Every call that changes a file, with the name that the library uses for it.
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

    /// Runs an assignment under both.
    ///
    /// - Parameters:
    ///   - makeAssignment: Receives the store's folder and the file for the library's trace.
    ///   - end: The last line that the process prints if everything succeeded.
    init(
        _ name: String, _ settings: Settings, folder: String, end: String,
        _ makeAssignment: (_ store: String, _ trace: String) throws -> Assignment
    ) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder + "/store", withIntermediateDirectories: true)
        let assignment = try makeAssignment(folder + "/store", folder + "/trace")
        let process = try ChildProcess(
            Self.tracer,
            [
                "-f", "-y", "-qq", "-e", "signal=none", "-o", folder + "/strace",
                "-e", "trace=\(Self.names.keys.sorted().map { "?\($0)" }.joined(separator: ","))",
                "-E", "LD_PRELOAD=\(settings.shim)",
                CommandLine.arguments[0], "perform", assignment.line,
            ], errorOutput: .kept)
        let said = String(decoding: try process.output(), as: UTF8.self)
        guard try process.end() == .code(0), said.contains(end) else {
            throw HarnessFailure("strace: \(said.suffix(300)) \(process.errorText.suffix(300))")
        }
        func text(_ name: String) -> String {
            String(decoding: files.contents(atPath: folder + "/" + name) ?? Data(), as: UTF8.self)
        }
        self.name = name
        seen = Self.counts(TracedCall.all(text("trace")).map(\.name))
        real = Self.counts(Self.calls(text("strace"), below: folder + "/store"))
    }

    /// Runs the standard workload under both.
    static func workload(_ engine: StoreType, _ settings: Settings) throws -> ShimCheck {
        let last = WritingAssignment.standard(settings.subject(engine, "")).lastStep
        return try ShimCheck(
            engine.rawValue, settings, folder: settings.folder + "/calls-\(engine.rawValue)",
            end: "saved \(last)"
        ) { store, trace in
            var assignment = WritingAssignment.standard(settings.subject(engine, store))
            assignment.trace = trace
            return .write(assignment)
        }
    }

    /// Runs migrations of an engine's old stores under both: one kind, or all kinds in the long form.
    static func migrations(
        _ engine: StoreType, _ settings: Settings, _ lane: Lane
    ) throws -> [ShimCheck] {
        let samples = try lane.migrationSamples(of: engine)
        return try samples.prefix(settings.isLong ? samples.count : 1).enumerated().map {
            index, sample in
            try ShimCheck(
                "\(engine.rawValue) \(sample.name)", settings,
                folder: settings.folder + "/calls-\(engine.rawValue)-\(index)",
                end: "opened \(sample.change.fileNames.count)"
            ) { store, trace in
                var program = MigratingProgram(subject: try sample.copy(to: store))
                program.trace = trace
                return .migrate(program)
            }
        }
    }

    /// Returns the calls that only one of the two sees.
    ///
    /// - Parameter blind: A call that is treated as if the library did not see it.
    func differences(blindTo blind: String? = nil) -> [String] {
        Set(seen.keys).union(real.keys).sorted().compactMap { call in
            let (mine, theirs) = (call == blind ? 0 : seen[call] ?? 0, real[call] ?? 0)
            // strace prints no path for a mapping, but the library still counts msync.
            return mine == theirs || call == "msync"
                ? nil : "\(name): \(theirs) calls of \(call), of which \(mine) are seen"
        }
    }

    private static func counts(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Returns the calls in a trace of strace that change a file below a folder.
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
