import Testing

@testable import TintypeCore

@Suite struct ControlGroupTests {
    private let mounts = """
        proc /proc proc rw 0 0
        cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0
        cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
        cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
        """

    @Test func theFilesOfAV2GroupStartWithItsOwn() {
        let group = ControlGroup(membership: "0::/user.slice/app.scope\n", mounts: mounts)
        #expect(
            group.limitFiles == [
                "/sys/fs/cgroup/unified/user.slice/app.scope/memory.max",
                "/sys/fs/cgroup/unified/user.slice/memory.max",
                "/sys/fs/cgroup/unified/memory.max",
                "/sys/fs/cgroup/unified/user.slice/app.scope/memory.high",
                "/sys/fs/cgroup/unified/user.slice/memory.high",
                "/sys/fs/cgroup/unified/memory.high",
            ])
        #expect(
            group.pressureFiles == [
                "/sys/fs/cgroup/unified/user.slice/app.scope/memory.pressure",
                "/sys/fs/cgroup/unified/user.slice/memory.pressure", "/sys/fs/cgroup/unified/memory.pressure",
            ])
        #expect(group.levelFolders.isEmpty)
    }

    @Test func theFilesOfAV1GroupStartWithItsOwn() {
        let group = ControlGroup(membership: "4:cpu:/x\n5:memory:/docker/1a\n", mounts: mounts)
        #expect(
            group.limitFiles == [
                "/sys/fs/cgroup/memory/docker/1a/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            ])
        #expect(group.pressureFiles.isEmpty)
        #expect(
            group.levelFolders == [
                "/sys/fs/cgroup/memory/docker/1a", "/sys/fs/cgroup/memory/docker", "/sys/fs/cgroup/memory",
            ])
    }

    @Test func bothVersionsMaySetALimit() {
        let group = ControlGroup(membership: "4:hugetlb,memory:/a\n0::/\n", mounts: mounts)
        #expect(
            group.limitFiles == [
                "/sys/fs/cgroup/unified/memory.max", "/sys/fs/cgroup/unified/memory.high",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            ])
    }

    @Test(arguments: ["", "nonsense", "0:", "::::", "x\n\n:::"]) func malformedTextHasNoGroup(_ membership: String) {
        #expect(ControlGroup(membership: membership, mounts: "").limitFiles.isEmpty)
        #expect(ControlGroup(membership: membership, mounts: membership).pressureFiles.isEmpty)
    }

    @Test func aPathDoesNotLeadOutOfTheMount() {
        let group = ControlGroup(membership: "0::/../../etc\n", mounts: mounts)
        #expect(group.limitFiles.first == "/sys/fs/cgroup/unified/etc/memory.max")
    }
}
