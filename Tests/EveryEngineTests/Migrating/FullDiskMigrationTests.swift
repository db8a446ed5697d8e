import Cairn
import CairnStoreCopying
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// Migrations on a file system of eight megabytes. Only root can mount it.
@Suite(.serialized) struct `A migration on a full disk` {
    private static let later = ChangeCase.library.changing("Book") {
        $0.properties.append(.attribute("isbn", .string))
    }

    private func trial(_ type: StoreType, on disk: SmallDisk) throws -> MigrationTrial {
        try MigrationTrial(
            type, from: try ManagedObjectModel(ChangeCase.library),
            to: try ManagedObjectModel(Self.later), in: disk.folder)
    }

    /// Migrates first without and then with free space on the disk.
    private func migrate(
        _ trial: MigrationTrial, allowsInPlace: Bool, _ disk: SmallDisk
    ) throws -> StoreError? {
        let before = try trial.make()
        #expect(disk.fill())

        let error = #expect(throws: StoreCopyError.self) {
            _ = try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }
        }

        disk.empty()
        let old = try trial.open(trial.old)
        #expect(try StoreImage(old) == before)
        try old.close()
        _ = try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }
        #expect(try trial.image().objects.count == before.objects.count)
        guard case .store(let reason)? = error else { return nil }
        return reason
    }

    @Test(arguments: everyFileEngine)
    func `that copies the store is refused before it begins`(_ type: StoreType) throws {
        guard let disk = try SmallDisk(for: "\(type), a migration on a full disk", megabyteCount: 8)
        else { return }
        let trial = try trial(type, on: disk)

        let reason = try migrate(trial, allowsInPlace: false, disk)

        switch reason {
        case .spaceMissing(_, let needed?, let available)?: #expect(needed > available)
        // Reading the metadata already needs space for the log's index.
        case .spaceMissing(_, needed: nil, _)? where type == .sqlite: break
        default: Issue.record("refused with \(String(describing: reason))")
        }
    }

    @Test func `in place says that the disk is full`() throws {
        guard let disk = try SmallDisk(for: "a migration in place on a full disk", megabyteCount: 8)
        else { return }
        let trial = try trial(.sqlite, on: disk)

        let reason = try migrate(trial, allowsInPlace: true, disk)

        guard case .spaceMissing(_, needed: nil, _)? = reason else {
            Issue.record("refused with \(String(describing: reason))")
            return
        }
    }
}
