package agent

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sameUser asks the kernel who owns the other end of a loopback connection
// (sock_diag(7)): the socket whose own address is remote and whose peer is local.
func sameUser(local, remote netip.AddrPort) bool {
	uid, err := socketOwner(remote, local)
	return err == nil && uid == uint32(os.Geteuid())
}

// sockID is struct inet_diag_sockid; addresses and ports in network order.
type sockID struct {
	sport, dport [2]byte
	src, dst     [16]byte
	iface        uint32
	cookie       [2]uint32
}

// diagRequest is struct inet_diag_req_v2 behind a netlink header.
type diagRequest struct {
	header                     unix.NlMsghdr
	family, protocol, ext, pad uint8
	states                     uint32
	id                         sockID
}

// diagMessage is struct inet_diag_msg.
type diagMessage struct {
	family, state, timer, retrans uint8
	id                            sockID
	expires, rqueue, wqueue       uint32
	uid, inode                    uint32
}

const sockDiagByFamily = 20 // SOCK_DIAG_BY_FAMILY

var errOwner = errors.New("the kernel does not tell whose socket it is")

// socketOwner looks up one IPv4 TCP socket by its own and its peer's address.
// That also finds a client that dialled through an IPv6 socket: the kernel keeps
// both in one table.
func socketOwner(own, peer netip.AddrPort) (uint32, error) {
	own = netip.AddrPortFrom(own.Addr().Unmap(), own.Port())
	peer = netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port())
	if !own.Addr().Is4() || !peer.Addr().Is4() {
		return 0, errOwner
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 2}); err != nil {
		return 0, err
	}
	req := diagRequest{family: unix.AF_INET, protocol: unix.IPPROTO_TCP, states: ^uint32(0)}
	req.header = unix.NlMsghdr{Len: uint32(unsafe.Sizeof(req)), Type: sockDiagByFamily, Flags: unix.NLM_F_REQUEST, Seq: 1}
	req.id = sockID{cookie: [2]uint32{^uint32(0), ^uint32(0)}}
	binary.BigEndian.PutUint16(req.id.sport[:], own.Port())
	binary.BigEndian.PutUint16(req.id.dport[:], peer.Port())
	src, dst := own.Addr().As4(), peer.Addr().As4()
	copy(req.id.src[:], src[:])
	copy(req.id.dst[:], dst[:])
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&req)), unsafe.Sizeof(req))
	if err := unix.Sendto(fd, raw, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return 0, err
	}
	return parseOwner(answer[:n], req.id)
}

// parseOwner parses one response. An orphaned socket (its process is gone) has no
// inode and reports user 0: it is refused even if we are root.
func parseOwner(b []byte, id sockID) (uint32, error) {
	const head = unix.SizeofNlMsghdr
	var m diagMessage
	if len(b) < head+int(unsafe.Sizeof(m)) || binary.NativeEndian.Uint16(b[4:]) != sockDiagByFamily {
		return 0, errOwner
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&m)), unsafe.Sizeof(m)), b[head:])
	if m.id.sport != id.sport || m.id.dport != id.dport || m.inode == 0 {
		return 0, errOwner
	}
	return m.uid, nil
}
