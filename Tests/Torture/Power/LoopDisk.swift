import CairnProcesses
import Foundation

/// A disk with its own file system inside a file. Its power can be cut.
///
/// A cut loses all data that was written but not synchronized, unless the file system has already written it
/// by itself.
struct LoopDisk {
    /// A file system that can be made to lose unwritten data.
    enum FileSystem: String, CaseIterable, Sendable {
        case ext4, xfs

        fileprivate var maker: String { "/usr/sbin/mkfs.\(rawValue)" }

        fileprivate var makerArguments: [String] { self == .ext4 ? ["-q", "-F"] : ["-q", "-f"] }

        /// The minimum size that the formatting tools accept, which is enough for the stores of a trial.
        fileprivate var byteCount: UInt64 { self == .ext4 ? 32 << 20 : 320 << 20 }
    }

    private let image: String
    /// The mount point.
    let folder: String

    /// Creates an empty disk in a folder, and mounts it.
    ///
    /// - Parameter empty: An image made by ``makeImage(_:at:)``.
    init(copying empty: String, in parent: String) throws {
        image = parent + "/image"
        folder = parent + "/disk"
        try Self.run("/bin/cp", ["--sparse=always", empty, image])
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try mount()
    }

    /// Creates the file of an empty disk.
    static func makeImage(_ fileSystem: FileSystem, at path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw HarnessFailure("\(path) cannot be made") }
        try file.truncate(atOffset: fileSystem.byteCount)
        try file.close()
        try run(fileSystem.maker, fileSystem.makerArguments + [path])
    }

    /// Makes the file system write all of its data.
    func synchronize() throws { try Self.run("/bin/sync", ["-f", folder]) }

    /// Unmounts the disk and mounts it again, like a machine that restarts.
    func restart() throws {
        try unmount()
        try mount()
    }

    private func mount() throws { try Self.run("/bin/mount", ["-o", "loop", image, folder]) }

    func unmount() throws { try Self.run("/bin/umount", [folder]) }

    /// The file systems that this machine can format, mount and cut.
    static let usable: [FileSystem] = FileSystem.allCases.filter { $0.isUsable }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = try ChildProcess(program, arguments, errorOutput: .kept)
        let output = String(decoding: try process.output(), as: UTF8.self)
        guard try process.end() == .code(0) else {
            throw HarnessFailure(
                "\(program) \(arguments.joined(separator: " ")): \(process.errorText)\(output)")
        }
    }
}

extension LoopDisk.FileSystem {
    /// Whether the file system works, which is tested in a temporary folder.
    fileprivate var isUsable: Bool {
        let files = FileManager.default
        let parent = NSTemporaryDirectory() + "/cairn-loop-\(getpid())"
        defer { try? files.removeItem(atPath: parent) }
        do {
            try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
            let empty = parent + "/empty"
            try LoopDisk.makeImage(self, at: empty)
            try LoopDisk(copying: empty, in: parent).unmount()
            return true
        } catch {
            return false
        }
    }
}
